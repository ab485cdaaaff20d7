package io.github.slotbloom.testing;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that the faulty network treats statements as documented. */
@DatabaseContract(onOne = true)
@Timeout(180)
class FaultyNetworkIT {

  private final TestSchema schema;
  private FaultyNetwork network;
  private Sql sql;

  FaultyNetworkIT(TestSchema schema) {
    this.schema = schema;
  }

  @BeforeEach
  void connect() throws Exception {
    network = new FaultyNetwork(schema.database().address());
    sql = new Sql(schema.dataSource());
    sql.run("CREATE TABLE IF NOT EXISTS t (a INT PRIMARY KEY)");
    sql.run("DELETE FROM t");
  }

  @AfterEach
  void disconnect() throws Exception {
    network.close();
  }

  @Test
  void statementsPassUnchanged() throws Exception {
    try (Connection connection = open()) {
      assertThat(Sql.run(connection, "INSERT INTO t VALUES (1), (2)")).isEqualTo(2);
    }
    assertThat(network.statements()).isPositive();
    assertThat(sql.number("SELECT COUNT(*) FROM t")).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource(names = {"BEFORE_SERVER", "HALF_WAY"})
  void aStatementCutBeforeTheServerIsNotExecuted(Trap.Place place) throws Exception {
    Trap trap = network.trap(place, "INSERT INTO t");
    trap.cut();
    assertFails(insert(1));
    assertThat(sql.number("SELECT COUNT(*) FROM t")).isZero();
  }

  @Test
  void aStatementCutBeforeTheClientIsExecuted() throws Exception {
    Trap trap = network.trap(Trap.Place.BEFORE_CLIENT, "INSERT INTO t");
    CompletableFuture<Void> insert = insert(1);
    trap.caught().get(60, SECONDS);
    assertThat(sql.number("SELECT COUNT(*) FROM t")).isEqualTo(1);
    await().during(Duration.ofSeconds(1)).until(() -> !insert.isDone());
    trap.cut();
    assertFails(insert);
  }

  @Test
  void aStatementThatTheClientGaveUpMayReachTheServer() throws Exception {
    Trap trap = network.trap(Trap.Place.BEFORE_SERVER, "INSERT INTO t", 1);
    insert(1).get(60, SECONDS);
    CompletableFuture<Void> insert = insert(2);
    trap.caught().get(60, SECONDS);
    trap.hangUpOnClient();
    assertFails(insert);
    assertThat(sql.number("SELECT COUNT(*) FROM t")).isEqualTo(1);
    trap.release();
    await().untilAsserted(() -> assertThat(sql.number("SELECT COUNT(*) FROM t")).isEqualTo(2));
  }

  @Test
  void aStalledNetworkDeliversLater() throws Exception {
    try (Connection connection = open()) {
      network.stall(true);
      CompletableFuture<Void> insert = insertOn(connection, 1);
      await().during(Duration.ofSeconds(1)).until(() -> !insert.isDone());
      network.heal();
      insert.get(60, SECONDS);
    }
    assertThat(sql.number("SELECT COUNT(*) FROM t")).isEqualTo(1);
  }

  @Test
  void aClientHearsNothingOfALostServer() throws Exception {
    try (Connection connection = open()) {
      network.loseServer();
      CompletableFuture<Void> insert = insertOn(connection, 1);
      await().during(Duration.ofSeconds(1)).until(() -> !insert.isDone());
      network.cutAll();
      assertFails(insert);
    }
  }

  private CompletableFuture<Void> insert(int value) {
    return CompletableFuture.runAsync(
        () -> {
          try (Connection connection = open()) {
            Sql.run(connection, "INSERT INTO t VALUES (?)", value);
          } catch (SQLException e) {
            throw new CompletionException(e);
          }
        });
  }

  private CompletableFuture<Void> insertOn(Connection connection, int value) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            Sql.run(connection, "INSERT INTO t VALUES (?)", value);
          } catch (SQLException e) {
            throw new CompletionException(e);
          }
        });
  }

  private Connection open() throws SQLException {
    return DriverManager.getConnection(
        network.url(schema.name()), schema.owner().user(), schema.owner().password());
  }

  private static void assertFails(CompletableFuture<Void> work) {
    assertThatThrownBy(() -> work.get(60, SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(SQLException.class);
  }
}
