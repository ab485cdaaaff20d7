package io.github.slotbloom.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.internal.time.TimeSource;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Instances;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestAccount;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.UsersMigration;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The tables are made whoever else makes tables there, and however often. */
@DatabaseContract
@PossibleLog(KnownLogs.TABLE_EXISTS)
@Tag("mysql")
class MigrateIT {

  private static final FilterSpec<String> SPEC =
      FilterSpec.builder(KeyType.text()).capacity(1000).build();

  private final TestSchema schema;
  private final Instances instances;
  private final Sql sql;

  MigrateIT(TestSchema schema) {
    this.schema = schema;
    this.instances = new Instances(schema);
    this.sql = new Sql(schema.dataSource());
  }

  @AfterEach
  void close() {
    instances.close();
  }

  @Test
  void migratingTwiceChangesNothingAndOneConnectionIsEnough() throws SQLException {
    SlotBloom bloom = instances.another(pool -> pool.setMaximumPoolSize(1));
    assertThat(bloom.isMigrated()).isFalse();
    bloom.migrate();
    bloom.reserve("kept", SPEC).add("x");
    bloom.migrate();
    assertThat(bloom.isMigrated()).isTrue();
    assertThat(bloom.open("kept", SPEC).mightContain("x")).isTrue();
    assertThat(sql.texts("SELECT version FROM bloom_schema_history WHERE type = 'SQL'"))
        .containsExactly("1");
  }

  @Test
  void everyCallWithoutTablesSaysToMigrate() {
    SlotBloom bloom = instances.another();
    assertThatThrownBy(bloom::list)
        .isInstanceOf(SchemaException.class)
        .hasMessageContaining("Run migrate once");
    assertThatThrownBy(() -> bloom.open("words", KeyType.text()))
        .isInstanceOf(SchemaException.class);
    assertThatThrownBy(() -> bloom.reserve("words", SPEC)).isInstanceOf(SchemaException.class);
  }

  @Test
  void twoProcessesMigrateAtOnce() throws Exception {
    Queue<SlotBloom> both = new ConcurrentLinkedQueue<>();
    instances.atOnce(
        2,
        bloom -> {
          bloom.migrate();
          both.add(bloom);
        });
    assertThat(both).allMatch(SlotBloom::isMigrated);
    assertThat(sql.texts("SELECT version FROM bloom_schema_history WHERE type = 'SQL'"))
        .containsExactly("1");
  }

  /** The clock goes on by ten seconds whenever it is looked at. */
  @Test
  void anotherThatMigratesIsWaitedForUntilTheTimeIsUp() throws SQLException {
    AtomicLong clock = new AtomicLong();
    TimeSource time =
        new TimeSource() {
          @Override
          public long nanoTime() {
            return TimeUnit.SECONDS.toNanos(clock.addAndGet(10));
          }

          @Override
          public long wallMillis() {
            return 0;
          }
        };
    List<Duration> waits = new ArrayList<>();
    Schema waiting = new Schema(schema.dataSource(), time, waits::add);
    try (Connection other = schema.dataSource().getConnection()) {
      Sql.run(other, "SELECT GET_LOCK(?, 0)", flywaysLock());
      assertThatThrownBy(() -> waiting.migrate(Duration.ofSeconds(45)))
          .isInstanceOf(FilterUnavailableException.class)
          .hasMessageContainingAll("within 45 s", "another session held the Flyway lock");
    }
    assertThat(waits).containsExactly(Duration.ofSeconds(45));
    assertThat(clock).hasValueLessThan(100);
    waiting.migrate(Duration.ofSeconds(45));
    assertThat(waits).as("no wait").hasSize(1);
    assertThat(instances.another().isMigrated()).isTrue();
  }

  @Test
  @Timeout(60)
  void anInterruptEndsTheWaitForAnotherThatMigrates() throws Exception {
    CountDownLatch waits = new CountDownLatch(1);
    Schema waiting =
        new Schema(schema.dataSource(), TimeSource.SYSTEM, timeout -> waits.countDown());
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    try (Connection other = schema.dataSource().getConnection()) {
      Sql.run(other, "SELECT GET_LOCK(?, 0)", flywaysLock());
      Thread worker =
          new Thread(
              () -> failure.complete(catchThrowable(() -> waiting.migrate(Duration.ofDays(1)))));
      worker.start();
      waits.await();
      worker.interrupt();
      assertThat(failure.join())
          .isInstanceOf(FilterUnavailableException.class)
          .hasMessageContaining("interrupted");
    }
  }

  @Test
  void aTransactionThatUsesAViewIsWaitedForUntilTheTimeIsUp() throws SQLException {
    sql.runScript(SlotBloom.schemaSql());
    SlotBloom bloom = instances.another();
    try (Connection other = schema.dataSource().getConnection()) {
      other.setAutoCommit(false);
      Sql.run(other, "SELECT * FROM bloom_filter_status");
      assertThatThrownBy(() -> bloom.migrate(Duration.ofSeconds(1)))
          .isInstanceOf(FilterUnavailableException.class)
          .hasMessageContainingAll("within 1 s", "a transaction is using a table");
    }
    bloom.migrate();
    assertThat(bloom.isMigrated()).isTrue();
  }

  private String flywaysLock() {
    return "Flyway-" + ("`" + schema.name() + "`.`bloom_schema_history`").hashCode();
  }

  @Test
  void theUsersFlywayMayRunFirst() throws SQLException {
    usersFlyway("1").load().migrate();
    SlotBloom bloom = instances.another();
    bloom.migrate();
    bloom.reserve("words", SPEC);
    assertThat(usersFlyway("1", "2").load().migrate().migrationsExecuted).isEqualTo(1);
    usersFlyway("1", "2").load().validate();
    bloom.migrate();
    bloom.reserve("more", SPEC);
    assertThat(sql.texts("SELECT version FROM flyway_schema_history ORDER BY installed_rank"))
        .containsExactly("1", "2");
  }

  @Test
  void theUsersFlywayNeedsABaselineOfZeroAfterOurs() throws SQLException {
    SlotBloom bloom = instances.another();
    bloom.migrate();
    bloom.reserve("words", SPEC);
    assertThatThrownBy(() -> usersFlyway("1").load().migrate())
        .hasMessageContaining("non-empty schema");
    usersFlyway("1").baselineOnMigrate(true).baselineVersion("0").load().migrate();
    usersFlyway("1", "2").load().migrate();
    usersFlyway("1", "2").load().validate();
    assertThat(sql.texts("SHOW TABLES LIKE 'user\\_%'")).containsExactly("user_1", "user_2");
    bloom.migrate();
    assertThat(bloom.reserve("more", SPEC).add("x")).isTrue();
  }

  @Test
  void baseTablesMadeByAnOperatorAreTakenOver() throws SQLException {
    sql.runScript(SlotBloom.schemaSql());
    SlotBloom bloom = instances.another();
    assertThat(bloom.isMigrated()).isTrue();
    bloom.migrate();
    assertThat(bloom.reserve("words", SPEC).add("x")).isTrue();
  }

  @Test
  void aMigrationThatIsRecordedAsFailedIsRepeated() throws SQLException {
    SlotBloom bloom = instances.another();
    bloom.migrate();
    sql.run("UPDATE bloom_schema_history SET success = 0 WHERE version = '1'");
    sql.run("DROP TABLE bloom_journal");
    bloom.migrate();
    assertThat(bloom.reserve("words", SPEC).add("x")).isTrue();
  }

  /** Summer time begins in Berlin on that day, so that its clocks go from 2 to 3. */
  @Test
  void aMigrationInASkippedHourDoesNoHarm() throws SQLException {
    SlotBloom bloom =
        instances.another(
            pool -> pool.addDataSourceProperty("connectionTimeZone", "Europe/Berlin"));
    bloom.migrate();
    String odd = "2027-03-28 02:30:00";
    sql.run("UPDATE bloom_schema_history SET installed_on = ?", odd);
    bloom.migrate();
    assertThat(sql.texts("SELECT installed_on FROM bloom_schema_history")).containsExactly(odd);
    sql.run("UPDATE bloom_schema_history SET success = 0 WHERE version = '1'");
    bloom.migrate();
    assertThat(sql.texts("SELECT version FROM bloom_schema_history WHERE type = 'SQL' AND success"))
        .containsExactly("1");
  }

  @Test
  void otherErrorsAreNotBlamedOnTheAccount() throws SQLException {
    sql.run("CREATE TABLE bloom_filter (name TEXT)");
    assertThatThrownBy(() -> instances.another().migrate())
        .isInstanceOf(SchemaException.class)
        .hasMessageContaining("Unknown column")
        .message()
        .doesNotContain("account", "needs");
  }

  @Test
  void tablesOfADevelopmentVersionAreRefused() throws SQLException {
    sql.run("CREATE TABLE bloom_filter (id BIGINT PRIMARY KEY, name TEXT, write_mode TEXT)");
    SlotBloom bloom = instances.another();
    assertThat(bloom.isMigrated()).isFalse();
    assertRefusesDevelopment(bloom::migrate);
    assertRefusesDevelopment(bloom::list);
    assertRefusesDevelopment(() -> bloom.open("words", KeyType.text()));
    assertThat(sql.texts("SHOW TABLES LIKE 'bloom_journal'")).isEmpty();
  }

  /** As where somebody dropped the tables, and left the history. */
  @Test
  void aHistoryOfADevelopmentVersionIsRefused() throws SQLException {
    SlotBloom bloom = instances.another();
    bloom.migrate();
    sql.run("UPDATE bloom_schema_history SET checksum = 1207302110 WHERE version = '1'");
    sql.run(
        "INSERT INTO bloom_schema_history SELECT installed_rank + 1, '2', 'growth', type,"
            + " 'V2__growth.sql', checksum + 1, installed_by, installed_on, 1, 1"
            + " FROM bloom_schema_history WHERE version = '1'");
    sql.run("DROP TABLE bloom_journal");
    assertRefusesDevelopment(bloom::migrate);
    assertThat(sql.texts("SHOW TABLES LIKE 'bloom_journal'")).isEmpty();
  }

  private static void assertRefusesDevelopment(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(SchemaException.class)
        .hasMessageContainingAll("development version", "before 0.1.0", "Use another schema");
  }

  /** As where a backup left them out, whose history says that they are there. */
  @Test
  void thePrintedSqlMakesLostViews() throws SQLException {
    SlotBloom bloom = instances.another();
    bloom.migrate();
    bloom.reserve("words", SPEC).add("x");
    sql.run("DROP VIEW bloom_generation_status");
    assertThat(bloom.isMigrated()).isFalse();
    assertThat(bloom.open("words", SPEC).mightContain("x")).as("needs none").isTrue();
    sql.runScript(SlotBloom.schemaSql());
    assertThat(bloom.isMigrated()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "CREATE, DROP|lacks CREATE VIEW on the schema (CREATE VIEW command denied",
        "CREATE, CREATE VIEW|lacks DROP on the schema (DROP command denied",
        "INSERT|lacks CREATE, CREATE VIEW, DROP on the schema (CREATE command denied"
      })
  void anErrorNamesTheMissingRightAndNothingIsMade(String rights, String message)
      throws SQLException {
    TestAccount account = schema.createAccount("SELECT, INSERT, UPDATE, DELETE, " + rights);
    SlotBloom bloom = SlotBloom.on(schema.pool(account, pool -> pool.setMaximumPoolSize(2)));
    assertThatThrownBy(bloom::migrate)
        .isInstanceOf(SchemaException.class)
        .hasMessageContainingAll(message, "slotbloom migrate --print-sql");
    bloom.close();
    assertThat(sql.texts("SHOW TABLES")).isEmpty();
  }

  /** Migrations of an application that makes one table each. */
  private FluentConfiguration usersFlyway(String... versions) {
    return Flyway.configure()
        .dataSource(schema.dataSource())
        .locations(new String[0])
        .javaMigrations(
            IntStream.range(0, versions.length)
                .mapToObj(i -> new UsersMigration(versions[i]))
                .toArray(UsersMigration[]::new));
  }
}
