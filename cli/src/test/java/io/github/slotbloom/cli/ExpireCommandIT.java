package io.github.slotbloom.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.github.slotbloom.cli.Slotbloom.Result;
import io.github.slotbloom.testing.DatabaseContract;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Filters expire by the clock of the database, and each command tells. */
@DatabaseContract(migrated = true, onOne = true)
@Tag("e2e")
class ExpireCommandIT extends OnSchema {

  private static final String LATER = "2090-01-31T00:00:00Z";

  private void reserve(String name, String... more) throws Exception {
    String[] all = new String[4 + more.length];
    System.arraycopy(new String[] {"reserve", name, "--capacity", "1000"}, 0, all, 0, 4);
    System.arraycopy(more, 0, all, 4, more.length);
    slotbloom.run(all).succeeded();
  }

  private Instant expiry(String name) throws Exception {
    String info = slotbloom.run("info", name, "--json").succeeded().out();
    return Instant.parse((String) JSON.std.mapFrom(info).get("expiresAt"));
  }

  @Test
  void everyCommandTellsWhenAFilterExpires() throws Exception {
    reserve("campaign", "--expires-at", "2090-01-31T01:00:00+01:00");
    reserve("lasting");
    assertThat(expiry("campaign")).isEqualTo(Instant.parse(LATER));
    assertThat(slotbloom.run("info", "campaign").succeeded().out())
        .contains("Expires           2090-01-31 00:00 UTC");
    assertThat(slotbloom.run("info", "lasting").succeeded().out()).doesNotContain("Expires");
    assertThat(slotbloom.run("list").succeeded().out()).isEqualTo("campaign\nlasting\n");
    assertThat(slotbloom.run("list", "--expires").succeeded().out())
        .isEqualTo("campaign\t" + LATER + "\n");
    assertThat(slotbloom.run("list", "--expires", "--json").succeeded().out())
        .isEqualTo("{\"campaign\":\"" + LATER + "\"}\n");
    assertThat(slotbloom.run("report", "campaign", "--html", "-").succeeded().out())
        .contains("31 January 2090, 00:00 UTC");
  }

  @Test
  void aSpanCountsFromTheClockOfTheDatabase() throws Exception {
    reserve("week", "--expires-in", "7d");
    Instant now = Instant.ofEpochSecond(sql.number("SELECT UNIX_TIMESTAMP()"));
    assertThat(Duration.between(now, expiry("week")))
        .isBetween(Duration.ofDays(7).minusMinutes(2), Duration.ofDays(7).plusMinutes(2));
    slotbloom.run("expire", "week", "--in", "90s").succeeded();
    assertThat(Duration.between(now, expiry("week")))
        .isBetween(Duration.ofSeconds(80), Duration.ofMinutes(3));
  }

  @Test
  void anExpiredFilterIsGoneAndCanBeBroughtBack() throws Exception {
    reserve("day");
    slotbloom.run("add", "day", "a").succeeded();
    assertThat(slotbloom.run("expire", "day", "--at", "2020-01-01T00:00:00Z").succeeded().err())
        .contains("Filter day expires at 2020-01-01T00:00:00Z.");
    for (String command : new String[] {"add", "exists"}) {
      assertThat(slotbloom.run(command, "day", "b").failed(1).err())
          .contains("Filter day expired at 2020-01-01 00:00:00 UTC", "slotbloom expire");
    }
    assertThat(slotbloom.runOn("b\n", "dedup", "day").failed(1).err())
        .contains("Filter day expired at 2020-01-01 00:00:00 UTC", "slotbloom expire day");
    assertThat(slotbloom.run("list").succeeded().out()).isEmpty();
    assertThat(slotbloom.run("list", "--expires").succeeded().out()).startsWith("day\t2020-");
    assertThat(slotbloom.run("expire", "day", "--never").succeeded().err())
        .contains("Filter day never expires.");
    assertThat(slotbloom.run("exists", "day", "a").succeeded().out()).isEqualTo("1\ta\n");
  }

  @Test
  void aListRemovesWhatExpiredLongAgo() throws Exception {
    reserve("old", "--expires-at", LATER);
    sql.run(
        "UPDATE bloom_filter SET expires_at = UTC_TIMESTAMP(3) - INTERVAL 2 HOUR,"
            + " expiry_noticed_at = UTC_TIMESTAMP(3) - INTERVAL 61 MINUTE");
    assertThat(slotbloom.run("list").succeeded().out()).isEmpty();
    assertThat(sql.number("SELECT COUNT(*) FROM bloom_filter")).isZero();
    assertThat(sql.texts("SHOW TABLES LIKE 'bloom\\_bits\\_old%'")).isEmpty();
  }

  @Test
  void dedupTellsThatItReplacesAnExpiredFilter() throws Exception {
    reserve("hourly");
    slotbloom.runOn("a\n", "dedup", "hourly").succeeded();
    slotbloom.run("expire", "hourly", "--at", "2020-01-01T00:00:00Z").succeeded();
    Result anew = slotbloom.runOn("a\n", "dedup", "hourly", "--capacity", "1k").succeeded();
    assertThat(anew.out()).isEqualTo("a\n");
    assertThat(anew.err()).contains("Filter hourly has expired; an empty one takes its place.");
  }

  @Test
  void reservingAnewReplacesAnExpiredFilter() throws Exception {
    reserve("daily");
    slotbloom.run("add", "daily", "a").succeeded();
    slotbloom.run("expire", "daily", "--at", "2020-01-01T00:00:00Z").succeeded();
    reserve("daily", "--if-not-exists", "--expires-in", "1d");
    assertThat(slotbloom.run("add", "daily", "a").succeeded().out()).isEqualTo("1\ta\n");
    assertThat(
            slotbloom
                .run("reserve", "late", "--capacity", "9", "--expires-at", "2020-01-01T00:00:00Z")
                .failed(2)
                .err())
        .contains("has passed by the clock of the database");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "expire f",
        "expire f --at tomorrow",
        "expire f --at 2027-01-31",
        "expire f --at 2027-01-31T00:00:00",
        "expire f --at +10000-01-01T00:00:00Z",
        "expire f --in 7",
        "expire f --in -7d",
        "expire f --in 0d",
        "expire f --in 7w",
        "expire f --in 1d --never",
        "reserve f --capacity 9 --expires-in 1d --expires-at 2090-01-01T00:00:00Z"
      })
  void whatMakesNoSenseIsAUsageError(String line) throws Exception {
    reserve("f");
    assertThat(slotbloom.run(line.split(" ")).failed(2).err()).isNotEmpty();
  }

  @Test
  void aMissingFilterCannotExpire() throws Exception {
    assertThat(slotbloom.run("expire", "none", "--never").failed(1).err()).contains("none");
  }
}
