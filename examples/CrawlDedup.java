import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/**
 * Crawls each URL once, even with many concurrent crawlers and repeated starts. Arguments: URL USER
 * PASSWORD of a MySQL or MariaDB schema.
 */
public final class CrawlDedup {

  /** A stand-in for the web: pages and their links. */
  private static final Map<String, List<String>> WEB =
      Map.of(
          "https://example.org/", List.of("https://example.org/news", "https://example.org/shop"),
          "https://example.org/news", List.of("https://example.org/", "https://example.org/news/1"),
          "https://example.org/news/1", List.of("https://example.org/news"),
          "https://example.org/shop", List.of("https://example.org/news", "https://example.net/"),
          "https://example.net/", List.of("https://example.org/"));

  public static void main(String[] args) {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(args[0]);
      pool.setUsername(args[1]);
      pool.setPassword(args[2]);
      try (SlotBloom bloom = SlotBloom.on(pool)) {
        bloom.migrate();
        // One URL in ten thousand is wrongly taken for seen, and not crawled. Leave a fifth of the
        // capacity free.
        FilterSpec<String> spec =
            FilterSpec.builder(KeyType.text()).capacity(1_000_000).falsePositiveRate(1e-4).build();
        crawl(bloom.openOrReserve("example_crawl", spec), List.of("https://example.org/"));
      }
    }
  }

  private static void crawl(BloomFilter<String> seen, List<String> seeds) {
    Queue<String> queue = new ArrayDeque<>(seen.filterNew(seeds));
    int fetched = 0;
    int known = 0;
    while (!queue.isEmpty()) {
      String url = queue.remove();
      System.out.println("fetching " + url);
      List<String> links = WEB.get(url);
      // One call asks for all links of a page. Each link is new to only one crawler, so only one
      // queues it.
      List<String> unseen = seen.filterNew(links);
      queue.addAll(unseen);
      fetched++;
      known += links.size() - unseen.size();
    }
    // A crawler that dies loses its queue, and the filter does not bring those links back. If a
    // queue must survive, store it in the database as well, as in ProcessOnce.
    System.out.println(fetched + " pages fetched, " + known + " links were known");
  }
}
