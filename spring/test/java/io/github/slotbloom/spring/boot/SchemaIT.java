package io.github.slotbloom.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.testing.Crowd;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The tables are made when an application starts, with Flyway and without. */
@DatabaseContract
@PossibleLog(KnownLogs.TABLE_EXISTS)
@PossibleLog(Application.NOT_STARTED)
class SchemaIT {

  private static final FilteredClassLoader WITHOUT_FLYWAY = new FilteredClassLoader("org.flywaydb");

  private final TestSchema schema;
  private final ApplicationContextRunner application;
  private final Sql sql;

  SchemaIT(TestSchema schema) {
    this.schema = schema;
    this.sql = new Sql(schema.dataSource());
    this.application =
        Application.on(schema).withPropertyValues("slotbloom.filters.payments.capacity=1000");
  }

  private void startsAndAdds(ApplicationContextRunner runner, boolean fresh) {
    runner.run(
        context -> assertThat(Application.text(context, "payments").add("x")).isEqualTo(fresh));
  }

  @Test
  void theApplicationsFlywayRunsFirst(@TempDir Path migrations) throws Exception {
    Files.writeString(migrations.resolve("V1__own.sql"), "CREATE TABLE own (id INT)");
    ApplicationContextRunner both =
        application
            .withConfiguration(BootClasses.FLYWAY)
            .withPropertyValues("spring.flyway.locations=filesystem:" + migrations);
    startsAndAdds(both, true);
    startsAndAdds(both, false);
    assertThat(sql.texts("SELECT version FROM flyway_schema_history")).containsExactly("1");
    assertThat(sql.number("SELECT COUNT(*) FROM bloom_schema_history")).isPositive();
  }

  @Test
  void theScriptsOfSpringRunFirst(@TempDir Path scripts) throws Exception {
    Path script =
        Files.writeString(
            scripts.resolve("schema.sql"), "CREATE TABLE IF NOT EXISTS own (id INT);");
    startsAndAdds(
        application.withPropertyValues(
            "spring.sql.init.mode=always", "spring.sql.init.schema-locations=file:" + script),
        true);
    assertThat(sql.texts("SHOW TABLES LIKE 'own'")).hasSize(1);
  }

  @Test
  void anApplicationWithoutFlywayMakesTheTablesAndWhatIsMissingOfThem() throws Exception {
    ApplicationContextRunner without = application.withClassLoader(WITHOUT_FLYWAY);
    startsAndAdds(without, true);
    startsAndAdds(without, false);
    assertThat(sql.texts("SHOW TABLES LIKE 'bloom_schema_history'")).isEmpty();
    sql.run("DROP TABLE bloom_usage");
    startsAndAdds(without, false);
  }

  @Test
  void flywayTakesOverWhatTheScriptMade() throws Exception {
    startsAndAdds(application.withClassLoader(WITHOUT_FLYWAY), true);
    startsAndAdds(application, false);
    startsAndAdds(application.withClassLoader(WITHOUT_FLYWAY), false);
    assertThat(sql.number("SELECT COUNT(*) FROM bloom_schema_history")).isPositive();
  }

  @Test
  void severalProcessesStartAtOnce() throws Exception {
    Crowd.of(
            4,
            number ->
                application
                    .withClassLoader(WITHOUT_FLYWAY)
                    .run(context -> assertThat(context).hasNotFailed()))
        .join(Duration.ofMinutes(5));
  }

  @Test
  void aPoolOfOneConnectionWithoutAutocommitWillDo() {
    startsAndAdds(
        application
            .withClassLoader(WITHOUT_FLYWAY)
            .withPropertyValues(
                "spring.datasource.hikari.maximum-pool-size=1",
                "spring.datasource.hikari.auto-commit=false"),
        true);
  }

  @Test
  void theScriptWaitsForTheProcessThatHoldsTheLock() throws Exception {
    try (Connection holder = schema.dataSource().getConnection()) {
      Sql.run(holder, "DO GET_LOCK(%s, 0)".formatted(SchemaScript.LOCK));
      ExecutorService thread = Executors.newSingleThreadExecutor();
      Future<Boolean> ran = thread.submit(() -> new SchemaScript(schema.dataSource()).run());
      await()
          .until(
              () ->
                  sql.number(
                          "SELECT COUNT(*) FROM information_schema.processlist"
                              + " WHERE state = 'User lock' AND db = ?",
                          schema.name())
                      == 1);
      Sql.run(holder, "DO RELEASE_LOCK(%s)".formatted(SchemaScript.LOCK));
      assertThat(ran.get()).isFalse();
      thread.shutdown();
    }
    assertThat(new SchemaScript(schema.dataSource()).run()).isTrue();
  }

  @Test
  void withoutInitializationMissingTablesAreAFailure() {
    application
        .withPropertyValues("slotbloom.initialize-schema=never")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasStackTraceContaining(SchemaException.class.getName()));
    Application.on(schema)
        .withPropertyValues("slotbloom.initialize-schema=never")
        .run(context -> assertThat(context.getBean(SlotBloom.class).isMigrated()).isFalse());
  }

  @Test
  void anAccountThatMayNotMakeTablesIsTold() throws Exception {
    var account = schema.createAccount("SELECT, INSERT, UPDATE, DELETE");
    application
        .withClassLoader(WITHOUT_FLYWAY)
        .withPropertyValues(
            "spring.datasource.username=" + account.user(),
            "spring.datasource.password=" + account.password())
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasStackTraceContaining("denied")
                    .hasStackTraceContaining("slotbloom.initialize-schema=never"));
  }
}
