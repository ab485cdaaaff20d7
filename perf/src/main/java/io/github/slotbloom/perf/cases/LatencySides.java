package io.github.slotbloom.perf.cases;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.perf.Opened;
import io.github.slotbloom.perf.cases.PacedCalls.Side;
import io.github.slotbloom.perf.measure.Checks;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.peer.Caller;
import io.github.slotbloom.perf.peer.JdbcFloor;
import io.github.slotbloom.perf.peer.SeenKeys;
import io.github.slotbloom.perf.peer.SlotbloomKeys;
import io.github.slotbloom.perf.server.DatabaseAccount;
import io.github.slotbloom.perf.server.DatabaseServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The calls whose latency is compared. Each has what it needs to itself, and opens it.
 *
 * @param opened what they open
 */
record LatencySides(DatabaseServer database, String schema, Checks checks, Opened opened) {

  private static final String CHANGES_NOTHING = "an answer changes nothing";

  /** Adds new keys, and finds them afterwards. */
  Side adding(SeenKeys keys) throws Exception {
    Caller caller = opened.keep(keys.caller());
    return new Side(
        keys.name(),
        keys.durability(),
        keys.falsePositiveRate(),
        number -> caller.add(Keys.text(number)),
        (first, count) -> requireFound(keys, first, count));
  }

  /** Asks for keys that were never added. */
  Side asking(SeenKeys keys) throws Exception {
    Caller caller = opened.keep(keys.caller());
    return new Side(
        keys.name(),
        CHANGES_NOTHING,
        keys.falsePositiveRate(),
        number -> !caller.mightContain(Keys.text(Keys.ABSENT + number)),
        (first, count) -> {});
  }

  Side appending(JdbcFloor floor) throws SQLException {
    JdbcFloor.Appender appender = opened.keep(floor.appender());
    return new Side(
        JdbcFloor.NAME,
        database.durability(),
        0,
        number -> {
          appender.append(new long[] {Keys.scrambled(number)}, 1);
          return true;
        },
        (first, count) -> floor.requireStored(checks));
  }

  /** A transaction of the caller's that adds a key, and commits. */
  Side addingWithin(SlotbloomKeys keys) throws SQLException {
    BloomFilter<String> filter = keys.filter();
    Connection connection = transactions();
    return new Side(
        "Slotbloom, `within` and commit",
        database.durability(),
        keys.falsePositiveRate(),
        number -> {
          boolean isNew = filter.within(connection).add(Keys.text(number));
          connection.commit();
          return isNew;
        },
        (first, count) -> requireFound(keys, first, count));
  }

  /** A transaction of the caller's that inserts a row into a table of the caller's, and commits. */
  Side insertingOwnRow(String name) throws SQLException {
    Connection connection = transactions();
    try (Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE own_row (id BIGINT NOT NULL PRIMARY KEY)");
    }
    PreparedStatement insert =
        opened.keep(connection.prepareStatement("INSERT INTO own_row VALUES (?)"));
    return new Side(
        name,
        database.durability(),
        0,
        number -> {
          insert.setLong(1, Keys.scrambled(number));
          int inserted = insert.executeUpdate();
          connection.commit();
          return inserted == 1;
        },
        (first, count) -> {});
  }

  /** Opens a filter, and closes it after the trial. */
  Side opening(String filter) {
    HikariDataSource pool = opened.keep(database.account(schema).pool(2));
    SlotBloom bloom = opened.keep(SlotBloom.on(pool));
    Opened filters = opened.keep(new Opened());
    return new Side(
        "Slotbloom",
        CHANGES_NOTHING,
        0,
        number -> {
          // With equal options it would share what is open already.
          Duration timeout = Duration.ofSeconds(30).plusMillis(number);
          filters.keep(
              bloom.open(filter, KeyType.text(), FilterOptions.defaults().timeout(timeout)));
          return true;
        },
        (first, count) -> filters.close());
  }

  /**
   * The same call, made by another thread for one that waits for it: what the two changes of
   * threads take, whatever the call is.
   */
  Side byAnotherThread(Side side) {
    ExecutorService worker = Executors.newSingleThreadExecutor();
    opened.keep(worker::shutdown);
    return new Side(
        byAnotherThread(side.name()),
        side.durability(),
        side.falsePositiveRate(),
        number -> worker.submit(() -> side.call().make(number)).get(),
        side.afterwards());
  }

  static String byAnotherThread(String name) {
    return name + ", by another thread";
  }

  /** The least lookup that a server answers. */
  Side oneTrip(String name) throws SQLException {
    Connection connection =
        opened.keep(database.account("").connect(DatabaseAccount.PREPARED_BY_SERVER));
    PreparedStatement select = opened.keep(connection.prepareStatement("SELECT 1"));
    return new Side(
        name,
        CHANGES_NOTHING,
        0,
        number -> {
          try (ResultSet row = select.executeQuery()) {
            return row.next();
          }
        },
        (first, count) -> {});
  }

  /**
   * As a caller has it who left the driver as it is. To let the server prepare what is sent once
   * takes a round trip more each time.
   */
  private Connection transactions() throws SQLException {
    Connection connection = opened.keep(database.account(schema).connect());
    connection.setAutoCommit(false);
    return connection;
  }

  private void requireFound(SeenKeys keys, long first, long count) throws Exception {
    try (Caller caller = keys.caller()) {
      Batches.requireFound(keys, caller, checks, first, count);
    }
    keys.settle();
  }
}
