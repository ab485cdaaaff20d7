package io.github.slotbloom.reliability;

import static io.github.slotbloom.testing.Keys.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.mysql.cj.jdbc.MysqlDataSource;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.PrimaryDataSource;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KillableServer;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestAccount;
import io.github.slotbloom.testing.TestDatabase;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A failover to a replica that receives commits after they were acknowledged, or never. What it
 * lacks is lost with the source, and everybody learns so.
 */
@DatabaseContract
@Timeout(600)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
@PossibleLog("^WARN PoolBase - ")
@Tag("servers")
class AsynchronousFailoverIT {

  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String SCHEMA = "replicated";
  private static final String NAME = "seen";
  private static final TestAccount ADMINISTRATOR = new TestAccount("root", "secret");
  private static final TestAccount ORDINARY = new TestAccount("app", "app");

  private final boolean mariaDb;
  private final KillableServer source;
  private final KillableServer replica;

  AsynchronousFailoverIT(TestDatabase database) throws Exception {
    mariaDb = database.isMariaDb();
    source = KillableServer.like(database, "--server-id=1");
    replica = KillableServer.like(database, "--server-id=2");
  }

  @Test
  void whatTheReplicaDidNotReceiveIsNewAgainInAllProcesses() throws Exception {
    Queue<String> reloadsHere = new ConcurrentLinkedQueue<>();
    Queue<String> reloadsThere = new ConcurrentLinkedQueue<>();
    try (source;
        replica) {
      replicate();
      try (HikariDataSource pool = pool(ADMINISTRATOR);
          HikariDataSource anotherPool = pool(ADMINISTRATOR);
          SlotBloom here = listening(pool, reloadsHere);
          SlotBloom there = listening(anotherPool, reloadsThere)) {
        here.migrate();
        BloomFilter<String> mine = here.reserve(NAME, SharedFilter.exact().build());
        BloomFilter<String> theirs = there.openOrReserve(NAME, SharedFilter.exact().build());
        List<String> kept = keys("kept ", 200);
        List<String> lost = keys("lost ", 50);
        assertThat(mine.filterNew(kept)).hasSize(kept.size());
        awaitReplica();
        onReplica(mariaDb ? "STOP SLAVE IO_THREAD" : "STOP REPLICA IO_THREAD");
        assertThat(mine.filterNew(lost)).hasSize(lost.size());
        assertThat(theirs.mightContainEach(lost)).doesNotContain(false);

        source.kill();
        onReplica(mariaDb ? "STOP SLAVE" : "STOP REPLICA");
        onReplica("SET GLOBAL read_only = OFF");

        for (BloomFilter<String> filter : List.of(mine, theirs)) {
          // A mirror that was just up to date answers "seen" from memory for a moment.
          await()
              .atMost(PATIENCE)
              .ignoreExceptionsInstanceOf(FilterUnavailableException.class)
              .untilAsserted(() -> assertThat(filter.mightContainEach(lost)).doesNotContain(true));
          assertThat(filter.mightContainEach(kept)).doesNotContain(false);
        }
        assertThat(reloadsHere).isNotEmpty();
        assertThat(reloadsThere).isNotEmpty();
        assertThat(mine.filterNew(lost)).as("new again").hasSize(lost.size());
        assertThat(theirs.filterNew(lost)).isEmpty();
        assertThat(here.info(mine.name()).keysAdded()).isEqualTo(kept.size() + lost.size());
        assertThat(here.admin(NAME).verify(VerifyOptions.defaults()).findings()).isEmpty();
      }
    }
  }

  /**
   * Nothing is lost: the replica has everything before it is made the primary. The source lives,
   * and connections to it stay open, also those of an account that may write to it all the same.
   */
  @Test
  void aSourceThatWasMadeReadOnlyDeniesNothing() throws Exception {
    try (source;
        replica) {
      replicate();
      Sql onSource = new Sql(source.database().admin());
      onSource.run("CREATE USER 'app'@'%' IDENTIFIED BY 'app'");
      onSource.run("GRANT ALL ON " + SCHEMA + ".* TO 'app'@'%'");
      try (HikariDataSource pool = pool(ADMINISTRATOR);
          HikariDataSource anotherPool = pool(ORDINARY);
          SlotBloom here = SlotBloom.on(pool);
          SlotBloom there = SlotBloom.on(anotherPool)) {
        here.migrate();
        BloomFilter<String> mine = here.reserve(NAME, SharedFilter.exact().build());
        BloomFilter<String> mirrored = there.open(NAME, KeyType.text());
        BloomFilter<String> direct =
            there.open(NAME, KeyType.text(), FilterOptions.defaults().withoutMirror());
        List<String> before = keys("before ", 50);
        assertThat(mine.filterNew(before)).hasSize(before.size());
        assertThat(mirrored.mightContainEach(before)).doesNotContain(false);
        assertThat(direct.mightContainEach(before)).doesNotContain(false);

        Connection left = pool.getConnection();
        left.setAutoCommit(false);
        awaitReplica();
        onSource.run("SET GLOBAL read_only = ON");
        onReplica(mariaDb ? "STOP SLAVE" : "STOP REPLICA");
        onReplica("SET GLOBAL read_only = OFF");

        List<String> after = keys("after ", 50);
        WriteFailedException refused =
            catchThrowableOfType(
                WriteFailedException.class, () -> mine.within(left).addEach(after));
        assertThat(refused.outcome()).isEqualTo(Outcome.NOT_RECORDED);
        left.close();
        assertThat(mine.filterNew(after)).hasSize(after.size());
        assertThat(mirrored.mightContainEach(after)).doesNotContain(false);
        assertThat(direct.mightContainEach(after)).doesNotContain(false);
        assertThat(direct.filterNew(after)).isEmpty();
        assertThat(mirrored.filterNew(before)).isEmpty();
        assertThat(here.info(mine.name()).keysAdded()).isEqualTo(before.size() + after.size());
        assertThat(here.admin(NAME).verify(VerifyOptions.defaults()).findings()).isEmpty();
      }
    }
  }

  private void onReplica(String statement) throws SQLException {
    new Sql(replica.database().admin()).run(statement);
  }

  /** The replica has everything from here on. */
  private void replicate() throws SQLException {
    InetSocketAddress address = source.addressForServers();
    try (Connection connection = source.database().admin().getConnection();
        Statement statement = connection.createStatement()) {
      try (ResultSet position =
          statement.executeQuery(mariaDb ? "SHOW MASTER STATUS" : "SHOW BINARY LOG STATUS")) {
        position.next();
        String prefix = mariaDb ? "MASTER" : "SOURCE";
        onReplica(
            "CHANGE %s TO %2$s_HOST = '%3$s', %2$s_PORT = %4$s, %2$s_USER = 'root', %2$s_PASSWORD = 'secret', %2$s_LOG_FILE = '%5$s', %2$s_LOG_POS = %6$s%7$s"
                .formatted(
                    mariaDb ? "MASTER" : "REPLICATION SOURCE",
                    prefix,
                    address.getHostString(),
                    address.getPort(),
                    position.getString("File"),
                    position.getLong("Position"),
                    mariaDb ? ", MASTER_SSL = 0" : ", GET_SOURCE_PUBLIC_KEY = 1"));
      }
      onReplica(mariaDb ? "START SLAVE" : "START REPLICA");
      onReplica("SET GLOBAL read_only = ON");
      statement.execute("CREATE DATABASE " + SCHEMA);
    }
  }

  private void awaitReplica() throws SQLException {
    new Sql(source.database().admin())
        .run("CREATE TABLE " + SCHEMA + ".marker (id INT PRIMARY KEY)");
    Sql onReplica = new Sql(replica.database().admin());
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                onReplica.number(
                        "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = '"
                            + SCHEMA
                            + "' AND table_name = 'marker'")
                    == 1);
  }

  private HikariDataSource pool(TestAccount account) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(
        new PrimaryDataSource(List.of(schemaOf(source, account), schemaOf(replica, account))));
    config.setMaximumPoolSize(3);
    config.setConnectionTimeout(3_000);
    // The replica is there before the schema is.
    config.setInitializationFailTimeout(-1);
    return new HikariDataSource(config);
  }

  private static DataSource schemaOf(KillableServer server, TestAccount account) {
    MysqlDataSource source = new MysqlDataSource();
    source.setUrl(server.network().url(SCHEMA) + "&connectTimeout=2000&socketTimeout=10000");
    source.setUser(account.user());
    source.setPassword(account.password());
    return source;
  }

  private static SlotBloom listening(DataSource pool, Queue<String> reloads) {
    return SlotBloom.builder(pool)
        .listener(
            event -> {
              if (event instanceof SlotBloomEvent.Reloading reloading) {
                reloads.add(reloading.reason());
              }
            })
        .build();
  }
}
