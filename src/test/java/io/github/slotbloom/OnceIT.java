package io.github.slotbloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.TransactionStateException;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.FilterNames;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Work that is done once for a key, in one transaction with the memory of it. */
@DatabaseContract
class OnceIT {

  private static final FilterSpec<String> SPEC =
      FilterSpec.text(1_000).falsePositiveRate(1e-6).build();

  @Fixture private static TestSchema schema;
  @Fixture private static Sql sql;
  @Fixture private static SlotBloom bloom;

  private final BloomFilter<String> done = bloom.reserve(FilterNames.newName(), SPEC);

  @BeforeDatabase
  static void makeTable() throws SQLException {
    sql.run("CREATE TABLE booked (message VARCHAR(50) PRIMARY KEY)");
  }

  private static void book(Connection transaction, String message) throws SQLException {
    try (Statement statement = transaction.createStatement()) {
      statement.executeUpdate("INSERT INTO booked VALUES ('" + message + "')");
    }
  }

  private static long booked(String message) throws SQLException {
    return sql.number("SELECT COUNT(*) FROM booked WHERE message = ?", message);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theWorkAndItsKeyAreStoredOnceAndTheConnectionComesBackAsItWas(boolean autoCommit)
      throws Exception {
    String message = "once " + autoCommit;
    try (HikariDataSource pool =
        schema.pool(
            settings -> {
              settings.setMaximumPoolSize(1);
              settings.setAutoCommit(autoCommit);
            })) {
      for (int delivery = 0; delivery < 3; delivery++) {
        boolean now = done.once(pool, message, transaction -> book(transaction, message));
        assertThat(now).isEqualTo(delivery == 0);
      }
      try (Connection connection = pool.getConnection()) {
        assertThat(connection.getAutoCommit()).isEqualTo(autoCommit);
      }
    }
    assertThat(booked(message)).isOne();
    assertThat(done.mightContain(message)).isTrue();
    assertThat(done.statistics().usage().newKeys()).isOne();
  }

  @Test
  void anEventIsSeenAgainOrTooOldForItsWorkToBeDone() throws Exception {
    DataSource pool = schema.dataSource();
    FilterSpec<String> week = FilterSpec.text(1_000).keepFor(Duration.ofDays(7)).build();
    BloomFilter<String> handled = bloom.reserve(FilterNames.newName(), week);
    Instant now = bloom.databaseTime();
    for (Offered expected : List.of(Offered.NEW, Offered.SEEN)) {
      assertThat(handled.once(pool, "event", now, transaction -> book(transaction, "event")))
          .isEqualTo(expected);
    }
    Instant longAgo = now.minus(Duration.ofDays(8));
    assertThat(handled.once(pool, "late", longAgo, transaction -> book(transaction, "late")))
        .isEqualTo(Offered.EXPIRED);
    assertThat(booked("event")).isOne();
    assertThat(booked("late")).isZero();
    assertThat(handled.mightContain("late")).isFalse();
  }

  /**
   * So whoever inserts a row with a primary key is told "seen", and not of the row that is there.
   */
  @Test
  void theWorkIsNotDoneForAKeyThatIsKnown() throws Exception {
    DataSource pool = schema.dataSource();
    String name = FilterNames.newName();
    FilterOptions direct = FilterOptions.defaults().withoutMirror();
    try (BloomFilter<String> mirrored = bloom.reserve(name, SPEC);
        BloomFilter<String> unmirrored = bloom.open(name, KeyType.text(), direct)) {
      assertThat(mirrored.once(pool, "row", transaction -> book(transaction, "row"))).isTrue();
      for (BloomFilter<String> filter : List.of(unmirrored, mirrored)) {
        assertThat(filter.once(pool, "row", transaction -> book(transaction, "row"))).isFalse();
        assertThat(filter.statistics().usage().seenKeys()).isOne();
      }
    }
  }

  @Test
  void nothingIsStoredIfTheWorkFails() throws Exception {
    DataSource pool = schema.dataSource();
    assertThatThrownBy(
            () ->
                done.once(
                    pool,
                    "fails",
                    transaction -> {
                      book(transaction, "fails");
                      throw new IOException("the other side hung up");
                    }))
        .isInstanceOf(IOException.class)
        .hasMessage("the other side hung up");
    assertThat(booked("fails")).isZero();
    assertThat(done.mightContain("fails")).isFalse();

    assertThat(done.once(pool, "fails", transaction -> book(transaction, "fails"))).isTrue();
    assertThat(booked("fails")).isOne();
  }

  @Test
  void nothingIsRememberedOfWorkThatEndedItsTransaction() {
    DataSource pool = schema.dataSource();
    assertThatThrownBy(() -> done.once(pool, "ended", Connection::rollback))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("The key was not added");
    assertThatThrownBy(() -> done.once(pool, "ended", Connection::commit))
        .isInstanceOf(TransactionStateException.class);
    assertThat(done.mightContain("ended")).isFalse();
  }

  @Test
  void theReasonIsNotHiddenByARollbackThatFails() {
    assertThatThrownBy(
            () ->
                done.once(
                    schema.dataSource(),
                    "lost",
                    transaction -> {
                      transaction.abort(Runnable::run);
                      throw new IOException("the real reason");
                    }))
        .isInstanceOf(IOException.class)
        .hasMessage("the real reason");
    assertThat(done.mightContain("lost")).isFalse();
  }

  @Test
  void aTransactionOfSomebodyElseGoesOn() throws Exception {
    try (Connection theirs = schema.dataSource().getConnection()) {
      theirs.setAutoCommit(false);
      book(theirs, "theirs");
      // As a proxy that is aware of transactions does.
      DataSource joining =
          (DataSource)
              Proxy.newProxyInstance(
                  getClass().getClassLoader(),
                  new Class<?>[] {DataSource.class},
                  (proxy, method, arguments) -> neverClosed(theirs));
      assertThatThrownBy(() -> done.once(joining, "ours", transaction -> book(transaction, "ours")))
          .isInstanceOf(TransactionStateException.class);
      theirs.commit();
    }
    assertThat(booked("theirs")).isOne();
    assertThat(booked("ours")).isZero();
  }

  private static Connection neverClosed(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            OnceIT.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) ->
                method.getName().equals("close") ? null : method.invoke(connection, arguments));
  }

  @Test
  void aSourceIsAskedOnlyOfWhatMayBeThereAndFalsePositivesAreReported() {
    done.add("a");
    assertThat(done.contains("a", key -> true)).isTrue();
    assertThat(done.contains("b", key -> true)).as("certainly not there").isFalse();
    assertThat(done.statistics().usage().falsePositives()).isZero();
    assertThat(done.contains("a", key -> false)).as("the source does not have it").isFalse();
    assertThat(done.statistics().usage().falsePositives()).isOne();
  }
}
