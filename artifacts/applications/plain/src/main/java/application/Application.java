package application;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import java.util.List;

/** Reserves a filter, adds and asks, and looks for what came along. */
public final class Application {

  private Application() {}

  public static void main(String[] args) {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(System.getenv("SLOTBLOOM_URL"));
      pool.setUsername(System.getenv("SLOTBLOOM_USER"));
      pool.setPassword(System.getenv("SLOTBLOOM_PASSWORD"));
      try (SlotBloom bloom = SlotBloom.on(pool)) {
        bloom.migrate();
        FilterSpec<String> spec = FilterSpec.builder(KeyType.text()).capacity(1000).build();
        try (BloomFilter<String> urls = bloom.openOrReserve("urls", spec)) {
          System.out.println("added: " + urls.add("a") + " " + urls.add("a"));
          System.out.println("contained: " + urls.mightContain("a") + " " + urls.mightContain("b"));
        }
      }
    }
    for (String type :
        List.of("org.jooq.DSLContext", "io.r2dbc.spi.Row", "org.reactivestreams.Publisher")) {
      System.out.println(type + ": " + (isThere(type) ? "there" : "absent"));
    }
  }

  private static boolean isThere(String type) {
    try {
      Class.forName(type);
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}
