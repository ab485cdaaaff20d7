package io.github.slotbloom.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.cli.Slotbloom.Result;
import io.github.slotbloom.testing.DatabaseContract;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Filters expire by the database clock, and each command tells. */
@DatabaseContract(migrated = true, shortLeases = true, onOne = true)
@Tag("e2e")
class ExpireCommandIT extends OnSchema {

  private static final String LATER = "2090-01-31T00:00:00Z";

  private void reserve(String line) {
    slotbloom.run("reserve --capacity 1000 " + line).succeeded();
  }

  private Instant expiry(String name) throws Exception {
    return Instant.parse((String) json("info " + name).get("expiresAt"));
  }

  @Test
  void everyCommandTellsWhenAFilterExpires() throws Exception {
    reserve("campaign --expires-at 2090-01-31T01:00:00+01:00");
    reserve("lasting");
    assertThat(expiry("campaign")).isEqualTo(Instant.parse(LATER));
    assertThat(slotbloom.out("info campaign"))
        .contains("Expires              2090-01-31 00:00 UTC");
    assertThat(slotbloom.out("info lasting")).doesNotContain("Expires");
    assertThat(slotbloom.out("list")).isEqualTo("campaign\nlasting\n");
    assertThat(slotbloom.out("list --expires")).isEqualTo("campaign\t" + LATER + "\n");
    assertThat(slotbloom.out("list --expires --json"))
        .isEqualTo("{\"campaign\":\"" + LATER + "\"}\n");
    assertThat(slotbloom.out("report campaign --html -")).contains("31 January 2090, 00:00 UTC");
  }

  @Test
  void aSpanCountsFromTheClockOfTheDatabase() throws Exception {
    reserve("week --expires-in 7d");
    Instant now = Instant.ofEpochSecond(sql.number("SELECT UNIX_TIMESTAMP()"));
    assertThat(Duration.between(now, expiry("week")))
        .isBetween(Duration.ofDays(7).minusMinutes(2), Duration.ofDays(7).plusMinutes(2));
    slotbloom.run("expire week --in 90s").succeeded();
    assertThat(Duration.between(now, expiry("week")))
        .isBetween(Duration.ofSeconds(80), Duration.ofMinutes(3));
  }

  @Test
  void anExpiredFilterIsGoneAndCanBeBroughtBack() throws Exception {
    reserve("day");
    slotbloom.run("add day a").succeeded();
    assertThat(slotbloom.run("expire day --at 2020-01-01T00:00:00Z").succeeded().err())
        .contains("Filter day expires at 2020-01-01T00:00:00Z.");
    for (String command : new String[] {"add", "exists"}) {
      assertThat(slotbloom.error(1, command + " day b"))
          .contains("Filter day expired at 2020-01-01 00:00:00 UTC", "slotbloom expire");
    }
    assertThat(slotbloom.errorOn(1, "b\n", "dedup day"))
        .contains("Filter day expired at 2020-01-01 00:00:00 UTC", "slotbloom expire day");
    assertThat(slotbloom.out("list")).isEmpty();
    assertThat(slotbloom.out("list --expires")).startsWith("day\t2020-");
    assertThat(slotbloom.run("expire day --never").succeeded().err())
        .contains("Filter day will not expire.");
    assertThat(slotbloom.out("exists day a")).isEqualTo("1\ta\n");
  }

  @Test
  void aListRemovesWhatExpiredLongAgo() throws Exception {
    reserve("old --expires-at " + LATER);
    sql.run(
        "UPDATE bloom_filter SET expires_at = UTC_TIMESTAMP(3) - INTERVAL 2 HOUR,"
            + " expiry_noticed_at = UTC_TIMESTAMP(3) - INTERVAL 61 MINUTE");
    assertThat(slotbloom.out("list")).isEmpty();
    assertThat(sql.number("SELECT COUNT(*) FROM bloom_filter")).isZero();
    assertThat(sql.texts("SHOW TABLES LIKE 'bloom\\_bits\\_%old%'")).isEmpty();
  }

  @Test
  void reservingAndDedupReplaceAnExpiredFilter() throws Exception {
    reserve("daily --expires-at " + LATER);
    slotbloom.runOn("a\n", "dedup daily").succeeded();
    slotbloom.run("expire daily --at 2020-01-01T00:00:00Z").succeeded();
    Result anew = slotbloom.runOn("a\n", "dedup daily --capacity 1k").succeeded();
    assertThat(anew.out()).isEqualTo("a\n");
    assertThat(anew.err()).contains("Filter daily has expired; an empty one replaces it.");

    slotbloom.run("expire daily --at 2020-01-01T00:00:00Z").succeeded();
    reserve("daily --if-not-exists --expires-in 1d");
    assertThat(slotbloom.out("add daily a")).isEqualTo("1\ta\n");
    assertThat(slotbloom.error(2, "reserve late --capacity 9 --expires-at 2020-01-01T00:00:00Z"))
        .contains("has passed by the database clock");
    assertThat(slotbloom.error(1, "expire none --never")).contains("none");
    assertThat(slotbloom.error(2, "expire daily --at +10000-01-01T00:00:00Z"))
        .contains("Use a time in the years 1970 to 9999");
  }
}
