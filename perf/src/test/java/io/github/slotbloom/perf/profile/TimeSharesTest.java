package io.github.slotbloom.perf.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.slotbloom.perf.report.Table;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimeSharesTest {

  private static final String WRITER = "io.github.slotbloom.internal.add.FilterWriter.write";
  private static final String FOLDER = "io.github.slotbloom.internal.fold.Folder.fold";

  private final TimeShares shares = new TimeShares();

  @ParameterizedTest
  @CsvSource({
    "com.mysql.cj.NativeSession.execSQL, driver",
    "org.jooq.impl.AbstractQuery.execute, jOOQ",
    "com.zaxxer.hikari.HikariDataSource.getConnection, connection pool",
    "io.github.slotbloom.internal.store.journal.Journal.insert, ours: store",
    "io.github.slotbloom.internal.mirror.Image.apply, ours: mirror",
    "io.github.slotbloom.core.KeyType.hash, ours: core",
    "io.github.slotbloom.BloomFilter.add, ours: the root package",
    "io.github.slotbloom.perf.measure.Keys.text, measuring: keys are created",
    "java.util.HashMap.put, other"
  })
  void timeBelongsToTheInnermostFrameOutsideTheJdk(String frame, String owner) {
    assertThat(TimeShares.owner(List.of("java.lang.String.getBytes", frame, WRITER)))
        .isEqualTo(owner.equals("other") ? "ours: add" : owner);
    assertThat(TimeShares.owner(List.of("java.lang.String.getBytes", frame))).isEqualTo(owner);
  }

  @Test
  void sharesCountTheTimeOfAllThreads() {
    shares.running(List.of(WRITER), 1);
    shares.running(List.of(WRITER), 1);
    shares.waiting(List.of("java.net.Socket.read", WRITER), 5);
    shares.sending(List.of("java.net.Socket.write", WRITER), 2);
    shares.pausing(1);

    assertThat(shares.seconds("ours: add")).isEqualTo(2);
    assertThat(shares.share("ours: add")).isEqualTo(0.2, within(1e-9));
    assertThat(shares.share(TimeShares.WAITING)).isEqualTo(0.5, within(1e-9));
    assertThat(shares.share(TimeShares.SENDING)).isEqualTo(0.2, within(1e-9));
    assertThat(shares.share(TimeShares.GC)).isEqualTo(0.1, within(1e-9));
    assertThat(shares.share(TimeShares.DRIVER)).isZero();
  }

  @Test
  void tablesShowTheTimeForFolding() {
    shares.waiting(List.of("java.net.Socket.read", WRITER), 3);
    shares.waiting(List.of("java.net.Socket.read", FOLDER), 1);

    Table places = shares.tables().get(0);

    assertThat(places.rows())
        .containsExactly(
            List.of("waiting for the server", "4", "100.0 %", "1"),
            List.of("all", "4", "100.0 %", "1"));
  }

  @Test
  void methodsAreSortedByTime() {
    shares.running(List.of("java.util.HashMap.put", WRITER), 1);
    shares.running(List.of("java.util.HashMap.put", WRITER), 1);
    shares.running(List.of(FOLDER), 1);
    shares.waiting(List.of("java.net.Socket.read", WRITER), 5);

    Table methods = shares.tables().get(1);

    assertThat(methods.rows())
        .extracting(row -> row.get(0) + " " + row.get(1))
        .containsExactly("java.util.HashMap.put (ours: add) 2", FOLDER + " (ours: fold) 1");
  }

  @Test
  void noTimeGivesNoShares() {
    assertThat(shares.share(TimeShares.WAITING)).isZero();
    assertThat(shares.tables().get(0).rows()).containsExactly(List.of("all", "0", "0.0 %", "0"));
  }
}
