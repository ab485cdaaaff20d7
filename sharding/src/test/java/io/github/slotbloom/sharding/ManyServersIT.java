package io.github.slotbloom.sharding;

import static io.github.slotbloom.testing.FilterNames.newName;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.UnsupportedVersionException;
import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestDatabase;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Filters on two servers of one ShardingSphere data source. */
@DatabaseContract
@Timeout(300)
@PossibleLog(KnownLogs.WEAK_DURABILITY)
class ManyServersIT {

  private static final String HERE = ThroughShardingSphere.SERVER;
  private static final String THERE = ThroughShardingSphere.OTHER;

  private static TestSchema here;
  private static TestSchema there;
  private static DataSource shardingSphere;
  private static Map<String, SlotBloom> blooms;

  @BeforeDatabase
  static void connect(TestDatabase database) throws SQLException {
    here = database.createSchema();
    there = Objects.requireNonNull(database.neighbor()).createSchema();
    for (TestSchema schema : List.of(here, there)) {
      try (SlotBloom bloom = SlotBloom.on(schema.direct())) {
        bloom.migrate();
      }
      new Sql(schema.direct()).run("CREATE TABLE orders (id INT PRIMARY KEY)");
    }
    shardingSphere = ThroughShardingSphere.shardingSphere(pool(here), pool(there), List.of());
    blooms = Map.of(HERE, bloomOn(HERE), THERE, bloomOn(THERE));
  }

  private static HikariDataSource pool(TestSchema schema) {
    return schema.database().poolFor(schema.name(), schema.owner());
  }

  private static SlotBloom bloomOn(String server) {
    return SlotBloom.on(new ServerDataSource(shardingSphere, server));
  }

  @AfterDatabase
  static void disconnect() throws Exception {
    blooms.values().forEach(SlotBloom::close);
    shardingSphere.unwrap(AutoCloseable.class).close();
    here.close();
    there.close();
  }

  /** Returns a new name that leads to a server. */
  private static String nameOn(String server) {
    FilterServers servers = new FilterServers(blooms);
    return Stream.generate(() -> newName())
        .filter(name -> servers.home(name).equals(server))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void eachFilterIsWhollyOnTheServerOfItsName() throws SQLException {
    FilterServers servers = new FilterServers(blooms);
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      String name = nameOn(i % 2 == 0 ? HERE : THERE);
      names.add(name);
      try (BloomFilter<String> filter =
          servers.of(name).reserve(name, Use.DIRECT.spec(KeyType.text()))) {
        assertThat(filter.add("a")).isTrue();
      }
    }

    // Another process, with connections of its own.
    try (SlotBloom hereAgain = bloomOn(HERE);
        SlotBloom thereAgain = bloomOn(THERE)) {
      FilterServers again = new FilterServers(Map.of(THERE, thereAgain, HERE, hereAgain));
      for (String name : names) {
        try (BloomFilter<String> filter = again.of(name).open(name, KeyType.text())) {
          assertThat(filter.mightContain("a")).isTrue();
          assertThat(filter.mightContain("b")).isFalse();
          assertThat(filter.add("a")).isFalse();
        }
        boolean onHere = again.home(name).equals(HERE);
        assertThat(here.slotTables(name)).hasSize(onHere ? 1 : 0);
        assertThat(there.slotTables(name)).hasSize(onHere ? 0 : 1);
      }
      assertThat(again.names()).containsAll(names).isSorted();
    }
  }

  @Test
  void aFilterOnAnotherServerThanItsNameTellsIsRefused() {
    String name = nameOn(HERE);
    SlotBloom wrong = blooms.get(THERE);
    wrong.reserve(name, Use.DIRECT.spec(KeyType.text())).close();
    try {
      assertThatThrownBy(() -> new FilterServers(blooms))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContainingAll(
              name, "is on the server other", "its name maps to server", "import");
    } finally {
      wrong.admin(name).drop();
    }
    assertThat(new FilterServers(blooms).names()).doesNotContain(name);
  }

  @Test
  void aServerMoreTakesOnlyNamesToItself() {
    int moved = 0;
    for (int i = 0; i < 3_000; i++) {
      String name = "filter_" + i;
      String home = FilterServers.home(Set.of("a", "b", "c"), name);
      if (!home.equals(FilterServers.home(Set.of("a", "b"), name))) {
        assertThat(home).isEqualTo("c");
        moved++;
      }
    }
    assertThat(moved).isBetween(850, 1_150);
  }

  @Test
  void rowsOnTheServerOfTheFilterShareTheFateOfItsKeys() throws SQLException {
    for (String server : List.of(HERE, THERE)) {
      ServerDataSource dataSource = new ServerDataSource(shardingSphere, server);
      Sql rows = new Sql((server.equals(HERE) ? here : there).direct());
      try (BloomFilter<String> filter =
          blooms.get(server).reserve(nameOn(server), Use.DIRECT.spec(KeyType.text()))) {
        try (Connection transaction = shardingSphere.getConnection()) {
          transaction.setAutoCommit(false);
          Connection there = dataSource.within(transaction);
          Sql.run(there, "INSERT INTO orders VALUES (?)", 1);
          assertThat(filter.within(there).add("a")).isTrue();
          transaction.rollback();

          there = dataSource.within(transaction);
          Sql.run(there, "INSERT INTO orders VALUES (?)", 2);
          assertThat(filter.within(there).add("b")).isTrue();
          transaction.commit();
        }
        assertThat(rows.texts("SELECT id FROM orders")).containsExactly("2");
        assertThat(filter.mightContain("a")).isFalse();
        assertThat(filter.mightContain("b")).isTrue();
      }
    }
  }

  @Test
  void connectionsOfShardingSphereItselfAreRefused() throws SQLException {
    assertThatThrownBy(() -> SlotBloom.on(shardingSphere))
        .isInstanceOf(UnsupportedVersionException.class)
        .hasMessageContainingAll("ShardingSphere", "docs/scale-out.md");
    HikariConfig config = new HikariConfig();
    config.setDataSource(shardingSphere);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      assertThatThrownBy(() -> SlotBloom.on(pool)).isInstanceOf(UnsupportedVersionException.class);
    }
    try (BloomFilter<String> filter =
            blooms.get(HERE).reserve(nameOn(HERE), Use.DIRECT.spec(KeyType.text()));
        Connection transaction = shardingSphere.getConnection()) {
      transaction.setAutoCommit(false);
      assertThatThrownBy(() -> filter.within(transaction).add("a"))
          .isInstanceOf(UnsupportedVersionException.class)
          .hasMessageContaining("docs/scale-out.md");
    }
  }

  @Test
  void anUnknownServerIsNamedWithThoseThatThereAre() {
    assertThatThrownBy(() -> new ServerDataSource(shardingSphere, "elsewhere").getConnection())
        .isInstanceOf(SQLException.class)
        .hasMessageContainingAll("elsewhere", HERE, THERE);
  }

  @Test
  void aSessionLastsAsLongAsItsConnectionAndCanBeEnded() throws SQLException {
    try (Connection connection = new ServerDataSource(shardingSphere, HERE).getConnection()) {
      String session = text(connection, "SELECT CONNECTION_ID()");
      for (int i = 0; i < 5; i++) {
        assertThat(text(connection, "SELECT CONNECTION_ID()")).isEqualTo(session);
      }
      connection.setNetworkTimeout(Runnable::run, 200);
      assertThatThrownBy(() -> text(connection, "SELECT SLEEP(60)"))
          .isInstanceOf(SQLException.class);
    }
    try (Connection connection = new ServerDataSource(shardingSphere, HERE).getConnection()) {
      String session = text(connection, "SELECT CONNECTION_ID()");
      connection.abort(Runnable::run);
      assertThatThrownBy(() -> text(connection, "SELECT 1")).isInstanceOf(SQLException.class);
      await()
          .until(
              () ->
                  new Sql(here.direct())
                      .texts("SELECT id FROM information_schema.processlist WHERE id = ?", session)
                      .isEmpty());
    }
  }

  @Test
  void tablesAreMadeThroughShardingSphereToo(TestSchema schema) {
    try (SlotBloom through = SlotBloom.on(schema.dataSource())) {
      through.migrate();
      through.migrate();
      assertThat(through.isMigrated()).isTrue();
      assertThat(through.reserve(newName(), Use.DIRECT.spec(KeyType.text())).add("a")).isTrue();
    }
  }

  @Test
  void whatShardingSphereCannotTakeGoesPastIt(TestSchema schema) throws SQLException {
    String table = "CREATE TABLE words (word VARCHAR(9) CHARACTER SET ascii COLLATE ascii_bin)";
    String insert = "INSERT INTO words VALUES ((SELECT CONCAT(?, MAX(id)) FROM orders))";
    try (Connection connection = shardingSphere.getConnection();
        Statement statement = connection.createStatement()) {
      assertThatThrownBy(() -> statement.execute(table)).isInstanceOf(RuntimeException.class);
    }
    try (Connection connection = schema.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      assertThat(statement.execute(table)).isFalse();
      assertThat(statement.executeUpdate("INSERT INTO words VALUES ('a'), ('b')")).isEqualTo(2);
      assertThat(statement.executeUpdate("CREATE TABLE orders (id INT)")).isZero();
      assertThat(statement.executeUpdate("INSERT INTO orders VALUES (7)")).isEqualTo(1);
      assertThat(Sql.run(connection, insert, "c")).isEqualTo(1);
      assertThat(text(connection, "SELECT GROUP_CONCAT(word ORDER BY word) FROM words"))
          .isEqualTo("a,b,c7");
    }
  }

  private static String text(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        var row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }
}
