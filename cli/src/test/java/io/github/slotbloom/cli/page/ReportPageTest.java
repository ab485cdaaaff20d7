package io.github.slotbloom.cli.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.atIndex;

import io.github.slotbloom.core.Seed;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.CurrentFalsePositiveRate;
import io.github.slotbloom.report.FilterUsage;
import io.github.slotbloom.report.Finding;
import io.github.slotbloom.report.Finding.Kind;
import io.github.slotbloom.report.Finding.Severity;
import io.github.slotbloom.report.VerifyReport;
import io.github.slotbloom.report.VerifyReport.Checked;
import io.github.slotbloom.report.VerifyReport.Unchecked;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.parser.ParseErrorList;
import org.jsoup.parser.Parser;
import org.junit.jupiter.api.Test;

/** The page as a whole: that it parses, tells what it should, and runs nothing. */
class ReportPageTest {

  private static final String HOSTILE = "</td><script>alert('x\"&')</script><img src=x onerror=y>";

  private final Examples filter = new Examples();

  @Test
  void thePageOfAHealthyFilterHasNoNotices() {
    Document page = parsed(page(verified(List.of())));

    assertThat(page.title()).startsWith("words");
    assertThat(page.select(".state").text()).startsWith("Healthy. 50 % of the capacity");
    assertThat(page.select("header").text()).contains("3 February 2026, 04:05 UTC");
    assertThat(page.select(".notices li")).isEmpty();
    assertThat(page.select("#buckets, .buckets")).isEmpty();
    assertThat(page.select("section[aria-labelledby=findings]").text())
        .contains("Nothing to report.", "what was checked");
    assertThat(page.select("#gauge-text").text())
        .contains("5,000 of 10,000 keys, 50 %", "at 8,000 keys");
    assertThat(page.select("#rate-text").text()).contains("capacity of 10,000 keys", "0.1 %");
    assertThat(page.select(".gauge .reading").text()).isEqualTo("50 %");
    assertThat(page.select(".outlier")).isEmpty();
    assertThat(page.select("section[aria-labelledby=checked]").text())
        .contains("entries: 100", "A false positive rate of 0.2 %", "Not checked: Why not.");
  }

  @Test
  void thePageShowsUseAndSize() {
    assertThat(rows(parsed(page(verified(List.of()))), "usage"))
        .contains("Lookups 0", "Answered “there” – the hit rate", "Observed false positive rate –");
    filter.usage = new FilterUsage(900, 3_100, 99_997, 3, 1_000);
    Document page = parsed(page(verified(List.of())));

    assertThat(rows(page, "usage"))
        .containsExactly(
            "Lookups 4,000",
            "Answered “there” 77.5 % the hit rate",
            "Adds 100,000",
            "Answered “seen” 0.003 %",
            "False positives reported 1,000",
            "Observed false positive rate 0.98 % over these days; estimated from the set bits:"
                + " 0.0013 % now");
    assertThat(rows(page, "sizes")).hasSize(3).element(2).asString().contains("1.0 MiB of all");
    filter.keysRemoved = 100;
    filter.removableKeys = 2_500;
    assertThat(rows(parsed(page(verified(List.of()))), "sizes"))
        .element(1)
        .isEqualTo("Removed keys, in the memory of each program 4.0 KiB 100 of at most 2,500 keys");
  }

  @Test
  void theBucketsOfAWindowAreDrawnOverTime() {
    filter.expired = 1;
    filter.week(900, 500, 100);
    Document page = parsed(page(null));

    assertThat(rows(page, "buckets"))
        .satisfies(row -> assertThat(row).startsWith("Begins Ends"), atIndex(0))
        .satisfies(
            row ->
                assertThat(row)
                    .startsWith("2 Mar 2026 00:00 3 Mar 2026 00:00 expired 900")
                    .endsWith("% 10 Mar 2026 00:00"),
            atIndex(1))
        .satisfies(row -> assertThat(row).contains(" past 500 "), atIndex(2))
        .satisfies(row -> assertThat(row).contains(" current 100 "), atIndex(3));
    assertThat(page.select(".buckets rect").eachAttr("class"))
        .containsExactly("expired", "past", "current");
    assertThat(page.select(".buckets rect").eachAttr("height"))
        .containsExactly("100.00%", "55.56%", "11.11%");
    assertThat(page.select(".buckets rect").eachAttr("x"))
        .containsExactly("57.71%", "72.00%", "86.29%");
    assertThat(page.select(".buckets rect title").eachText())
        .element(0)
        .asString()
        .startsWith("2 Mar 2026 00:00 to 3 Mar 2026 00:00: 900 keys, ")
        .endsWith("expired 10 Mar 2026 00:00");
    assertThat(rows(page, "parameters"))
        .contains(
            "Keys are found for 7 days and a bucket of 24 hours longer at most, from the first add"
                + " on",
            "Expires never");
    assertThat(page.select("#gauge-text").text()).contains("10 % of the current bucket");
  }

  @Test
  void oneBucketIsATableRowWithoutAChart() {
    filter.week(500);
    Document page = parsed(page(null));

    assertThat(rows(page, "buckets")).hasSize(2);
    assertThat(page.select(".buckets")).isEmpty();
    assertThat(page.select("section[aria-labelledby=buckets]").text())
        .doesNotContain("bar", "Upwards");
  }

  @Test
  void aWindowWhoseKeysAllExpiredHasAPage() {
    filter.expired = 2;
    filter.week(900, 500);
    filter.today = 9;
    filter.keysAdded = 0;
    filter.capacity = 1000;
    Document page = parsed(page(null));

    assertThat(page.select(".state").text()).startsWith("Healthy. 0 % of the current bucket");
    assertThat(page.select(".gauge .reading").text()).isEqualTo("0 %");
    assertThat(page.select(".notices h3").eachText())
        .containsExactly("The keys of 2 generations expired");
  }

  private static List<String> rows(Document page, String section) {
    return page.select("section[aria-labelledby=" + section + "] tr").eachText();
  }

  @Test
  void theMostSeriousComesFirst() {
    filter.unfolded = 1;
    Finding damage = finding(Severity.DAMAGE, Kind.BITS_MISSING, "a bit.");
    Finding remark = finding(Severity.REMARK, Kind.HASH_MISSING, "a hash");
    Document page = parsed(page(verified(List.of(remark, damage, damage))));

    assertThat(page.select(".state").text()).startsWith("Damaged.");
    assertThat(page.select(".notices h3").eachText())
        .containsExactly(
            "Verification found: bits missing in bloom_bits_words_v1, slot 18446744073709551615,"
                + " entry 5",
            "Verification found: hash missing in bloom_bits_words_v1, slot 18446744073709551615,"
                + " entry 5",
            "Journal entries are waiting to be folded");
    assertThat(page.select(".notices p").get(0).text())
        .isEqualTo("It found a bit; expected better. Mend it. There are 8 more of this kind.");
  }

  @Test
  void storedTextIsEscaped() {
    filter.name = HOSTILE;
    filter.hash = HOSTILE;
    Finding finding = finding(Severity.DAMAGE, Kind.CHAIN_BROKEN, HOSTILE);
    String html = page(verified(List.of(finding)));
    Document page = parsed(html);

    assertThat(html).doesNotContain("<script", "<img");
    assertThat(page.select("h1").text()).isEqualTo(HOSTILE);
    assertThat(page.select(".notices p").get(0).text()).contains(HOSTILE);
    assertThat(page.select("script, img, link, iframe, [src], [onerror]")).isEmpty();
    assertThat(page.select("[href]").eachAttr("href")).allMatch(target -> target.startsWith("#"));
    assertThat(page.select("meta[http-equiv=Content-Security-Policy]").attr("content"))
        .startsWith("default-src 'none'; style-src 'unsafe-inline';");
  }

  @Test
  void aSecretSeedIsNotShown() {
    filter.hash = "siphash24";
    filter.seed = new Seed(4_711_471_147_114_711L, true);
    String html = page(null);

    assertThat(html).doesNotContain("4711471147114711");
    assertThat(parsed(html).select("section[aria-labelledby=parameters]").text())
        .contains("Seed secret");
    assertThat(parsed(html).select("section[aria-labelledby=checked]").text())
        .contains("was not verified");
  }

  private String page(VerifyReport verified) {
    return ReportPage.of(
        new Evidence(
            filter.info(),
            filter.inspection(),
            verified,
            Instant.parse("2026-02-03T04:05:06Z"),
            "slotbloom test"));
  }

  private static Document parsed(String html) {
    Parser parser = Parser.htmlParser().setTrackErrors(10);
    Document page = Jsoup.parse(html, parser);
    ParseErrorList errors = parser.getErrors();
    assertThat(errors).isEmpty();
    assertThat(html).doesNotContain("{{");
    return page;
  }

  private VerifyReport verified(List<Finding> findings) {
    return new VerifyReport(
        filter.name,
        1,
        100,
        100,
        List.of(new Checked(Check.JOURNAL, 100, "entries")),
        List.of(new Unchecked(Check.FILL, "Why not.")),
        findings,
        findings.isEmpty() ? Map.of() : Map.of(Kind.BITS_MISSING, 7L),
        new CurrentFalsePositiveRate(0.002, 0.001),
        List.of(),
        List.of());
  }

  private static Finding finding(Severity severity, Kind kind, String found) {
    return new Finding(
        severity, kind, "bloom_bits_words_v1", 1, -1L, 5L, found, "better", "Mend it.");
  }
}
