package io.github.slotbloom.internal.store.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.arjuna.common.arjPropertyManager;
import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionSynchronizationRegistryImple;
import com.arjuna.ats.jta.TransactionManager;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import io.agroal.api.transaction.TransactionIntegration;
import io.agroal.narayana.NarayanaTransactionIntegration;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.error.TransactionStateException;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import jakarta.transaction.UserTransaction;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A transaction of the caller is never ended, whatever a data source hands out. */
@DatabaseContract(shortLeases = true)
@Tag("mysql")
class OpenTransactionIT {

  private static final FilterSpec<String> SPEC =
      FilterSpec.builder(KeyType.text()).capacity(1000).build();

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom usual;
  @Fixture private static Sql sql;

  private HikariDataSource pool;
  private Connection callers;
  private SlotBloom bloom;

  @BeforeDatabase
  static void makeTable() throws SQLException {
    sql.run("CREATE TABLE orders (id INT PRIMARY KEY)");
    usual.reserve("there", SPEC);
  }

  @BeforeEach
  void handOutTheConnectionOfTheThread() {
    pool = schema.pool(settings -> settings.setMaximumPoolSize(3));
    bloom = SlotBloom.on(ofThread(Thread.currentThread()));
  }

  @AfterEach
  void close() throws SQLException {
    bloom.close();
    pool.close();
    sql.run("DELETE FROM orders");
  }

  /**
   * As the proxies of frameworks do: in the thread of a transaction, everyone gets its connection.
   */
  private DataSource ofThread(Thread owner) {
    return (DataSource)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) ->
                method.getName().equals("getConnection")
                        && callers != null
                        && Thread.currentThread() == owner
                    ? notClosed(callers)
                    : method.invoke(pool, arguments));
  }

  private static Connection notClosed(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            OpenTransactionIT.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              try {
                return method.getName().equals("close")
                    ? null
                    : method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void aTransactionOfTheCallerIsRefusedAndGoesOn() throws SQLException {
    DataSource ofThread = ofThread(Thread.currentThread());
    List<Work> calls =
        List.of(
            () -> SlotBloom.on(ofThread),
            () -> bloom.names(),
            () -> bloom.info("there"),
            () -> bloom.databaseTime(),
            () -> bloom.openOrReserve("there", SPEC),
            () -> bloom.openOrReserve("new", SPEC),
            () -> bloom.admin("there").verify(VerifyOptions.defaults()),
            () -> bloom.admin("there").grow(5000),
            () -> bloom.admin("there").clear(),
            () -> bloom.admin("there").drop(),
            () -> bloom.migrate(),
            () -> bloom.isMigrated());
    inTransaction(
        () -> {
          for (Work call : calls) {
            refuses(call);
          }
        });
  }

  @Test
  void aTransactionBegunBySqlIsRefusedToo() throws SQLException {
    callers = pool.getConnection();
    try (Connection connection = callers;
        Statement statement = connection.createStatement()) {
      statement.execute("START TRANSACTION");
      statement.execute("INSERT INTO orders VALUES (1)");
      refuses(() -> bloom.admin("there").clear());
      statement.execute("COMMIT");
    } finally {
      callers = null;
    }
    assertThat(sql.number("SELECT COUNT(*) FROM orders")).isOne();
  }

  /** As with a pool that was given back a connection with a transaction that SQL began. */
  @Test
  @PossibleLog(KnownLogs.BACKGROUND_FAILED)
  void anAddDoesNotJoinATransactionThatWasLeftOpen() throws SQLException {
    try (HikariDataSource one = schema.pool(settings -> settings.setMaximumPoolSize(1));
        SlotBloom other = SlotBloom.on(one);
        BloomFilter<String> filter = other.reserve("joined", SPEC);
        BloomFilter<String> direct =
            other.open("joined", KeyType.text(), FilterOptions.defaults().withoutMirror())) {
      filter.addEach(List.of("first", "second"));
      assertThat(filter.add("alone")).isTrue();
      runOn(one, "START TRANSACTION", "INSERT INTO orders VALUES (1)");

      refuses(() -> filter.add("not committed"));
      // What is read in it may be as old as its snapshot.
      refuses(() -> direct.add("alone"));
      refuses(() -> direct.mightContain("alone"));

      runOn(one, "COMMIT");
      assertThat(sql.number("SELECT COUNT(*) FROM orders")).isOne();
      assertThat(filter.add("not committed")).isTrue();
    }
  }

  private static void runOn(DataSource dataSource, String... statements) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      for (String text : statements) {
        statement.execute(text);
      }
    }
  }

  @Test
  void aTransactionOfJtaIsRefusedAndGoesOn(@TempDir Path logs) throws Exception {
    keepLogsOfTransactions(logs);
    UserTransaction transaction = com.arjuna.ats.jta.UserTransaction.userTransaction();
    try (AgroalDataSource ofTransaction = agroal();
        SlotBloom other = SlotBloom.on(ofTransaction)) {
      transaction.begin();
      runOn(ofTransaction, "INSERT INTO orders VALUES (1)");
      refuses(() -> other.info("there"));
      runOn(ofTransaction, "INSERT INTO orders VALUES (2)");
      transaction.commit();
      assertThat(other.info("there").name()).isEqualTo("there");
    }
    assertThat(sql.number("SELECT COUNT(*) FROM orders")).isEqualTo(2);
  }

  private static void keepLogsOfTransactions(Path directory) {
    arjPropertyManager.getCoordinatorEnvironmentBean().setTransactionStatusManagerEnable(false);
    for (String store : Arrays.asList(null, "stateStore", "communicationStore")) {
      BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, store)
          .setObjectStoreDir(directory.toString());
    }
  }

  private static AgroalDataSource agroal() throws SQLException {
    TransactionIntegration jta =
        new NarayanaTransactionIntegration(
            TransactionManager.transactionManager(), new TransactionSynchronizationRegistryImple());
    return AgroalDataSource.from(
        new AgroalDataSourceConfigurationSupplier()
            .connectionPoolConfiguration(
                settings ->
                    settings
                        .maxSize(2)
                        .transactionIntegration(jta)
                        .connectionFactoryConfiguration(
                            factory ->
                                factory
                                    .jdbcUrl(schema.url())
                                    .principal(new NamePrincipal(schema.owner().user()))
                                    .credential(new SimplePassword(schema.owner().password())))));
  }

  @Test
  void aQueryOfKeysThatIsGivenUpLeavesItsTransaction() throws SQLException {
    KeySource failing =
        KeySource.query(
            KeyType.text(),
            ofThread(Thread.currentThread()),
            "SELECT CONCAT('of an order', id) FROM orders UNION ALL SELECT table_name FROM"
                + " information_schema.columns",
            row -> {
              throw new SQLException("no key in " + row.getString(1));
            });
    inTransaction(
        () ->
            assertThatExceptionOfType(ReplacementException.class)
                .isThrownBy(
                    () -> usual.admin("there").replace(2000, failing, ReplaceOptions.defaults()))
                .withMessageContaining("no key in of an order1"));
    usual.admin("there").abortReplacement();
  }

  @Test
  void aTransactionThatDidNothingYetIsNotMistakenForOne() throws SQLException {
    callers = pool.getConnection();
    try (Connection connection = callers) {
      connection.setAutoCommit(false);
      assertThat(bloom.info("there").keysAdded()).isZero();
      connection.rollback();
    } finally {
      callers = null;
    }
  }

  @Test
  void theIsolationOfTheNextTransactionIsThatOfTheSession() throws SQLException {
    HikariDataSource transactional =
        schema.pool(
            settings -> {
              settings.setAutoCommit(false);
              settings.setMaximumPoolSize(1);
              settings.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
            });
    try (SlotBloom other = SlotBloom.on(transactional)) {
      other.info("there");
      // A snapshot that lasts shows that the level of our transactions does not.
      try (Connection connection = transactional.getConnection()) {
        assertThat(orders(connection)).isZero();
        sql.run("INSERT INTO orders VALUES (7)");
        assertThat(orders(connection)).isZero();
        connection.rollback();
      }
    }
  }

  private static int orders(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM orders")) {
      rows.next();
      return rows.getInt(1);
    }
  }

  private interface Work {
    void run() throws SQLException;
  }

  private void inTransaction(Work work) throws SQLException {
    callers = pool.getConnection();
    try (Connection connection = callers;
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("INSERT INTO orders VALUES (1)");
      work.run();
      statement.execute("INSERT INTO orders VALUES (2)");
      connection.commit();
    } finally {
      callers = null;
    }
    assertThat(sql.number("SELECT COUNT(*) FROM orders")).isEqualTo(2);
  }

  private static void refuses(Work work) {
    assertThatExceptionOfType(TransactionStateException.class)
        .isThrownBy(work::run)
        .withMessageContaining("within(connection)")
        .withMessageContaining("transaction-aware");
  }
}
