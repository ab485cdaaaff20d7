package io.github.slotbloom;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitCallTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Clock;
import java.time.ZoneId;
import java.util.List;
import java.util.Set;
import java.util.TimeZone;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.jooq.DataType;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/** Which package may import which, and what none may use. */
@AnalyzeClasses(
    packages = "io.github.slotbloom",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule packages_import_only_these_of_ours =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("background")
          .definedBy("io.github.slotbloom.background..")
          .layer("error")
          .definedBy("io.github.slotbloom.error..")
          .layer("event")
          .definedBy("io.github.slotbloom.event..")
          .layer("report")
          .definedBy("io.github.slotbloom.report..")
          .layer("core")
          .definedBy("io.github.slotbloom.core..")
          .layer("store")
          .definedBy("io.github.slotbloom.store..")
          .layer("schema")
          .definedBy("io.github.slotbloom.schema..")
          .layer("snapshot")
          .definedBy("io.github.slotbloom.snapshot..")
          .layer("mirror")
          .definedBy("io.github.slotbloom.mirror..")
          .layer("engine")
          .definedBy("io.github.slotbloom.engine..")
          .layer("root")
          .definedBy("io.github.slotbloom")
          .layer("cli")
          .definedBy("io.github.slotbloom.cli..")
          .ensureAllClassesAreContainedInArchitecture()
          .whereLayer("background")
          .mayNotAccessAnyLayer()
          .whereLayer("error")
          .mayNotAccessAnyLayer()
          .whereLayer("event")
          .mayNotAccessAnyLayer()
          .whereLayer("report")
          .mayNotAccessAnyLayer()
          .whereLayer("core")
          .mayOnlyAccessLayers("error")
          .whereLayer("store")
          .mayOnlyAccessLayers("core", "error", "report")
          .whereLayer("schema")
          .mayOnlyAccessLayers("core", "error")
          .whereLayer("snapshot")
          .mayOnlyAccessLayers("core", "error")
          .whereLayer("mirror")
          .mayOnlyAccessLayers("background", "core", "store", "error", "event")
          .whereLayer("engine")
          .mayOnlyAccessLayers("background", "core", "store", "mirror", "error", "event", "report")
          .whereLayer("cli")
          .mayOnlyAccessLayers("root", "core", "error", "event", "report")
          .whereLayer("cli")
          .mayNotBeAccessedByAnyLayer();

  @ArchTest
  static final ArchRule packages_are_free_of_cycles =
      slices().matching("io.github.slotbloom.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule work_is_handed_over_in_one_place =
      noClasses()
          .that()
          .resideInAnyPackage("io.github.slotbloom.mirror..", "io.github.slotbloom.engine..")
          .should()
          .callMethodWhere(
              target(owner(assignableTo(Executor.class)))
                  .and(target(nameMatching("execute|submit|invokeA.*")))
                  .or(
                      target(owner(equivalentTo(CompletableFuture.class)))
                          .and(target(nameMatching(".*Async|delayedExecutor|orTimeout")))))
          .orShould()
          .callMethod(Thread.class, "start")
          .because("whoever waits for work must hear that no thread could be had for it");

  @ArchTest static final ArchRule only_the_store_uses_jooq = onlyIn("store", "org.jooq..");

  @ArchTest static final ArchRule only_the_schema_uses_flyway = onlyIn("schema", "org.flywaydb..");

  @ArchTest
  static final ArchRule only_the_command_line_uses_what_it_brings =
      onlyIn("cli", "picocli..", "com.zaxxer.hikari..", "ch.vorburger..");

  @ArchTest
  static final ArchRule only_the_page_uses_its_templates = onlyIn("cli.page", "com.samskivert..");

  @ArchTest
  static final ArchRule the_page_knows_nothing_of_the_commands =
      noClasses()
          .that()
          .resideInAPackage("io.github.slotbloom.cli.page..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.github.slotbloom.cli", "io.github.slotbloom.cli.embedded..");

  /**
   * The driver makes dates in the time zone of the JVM, and throws at those which that zone skips.
   * So a date comes from the server as a number or as text.
   */
  @ArchTest
  static final ArchRule no_class_has_dates_of_the_driver =
      noClasses()
          .should()
          .dependOnClassesThat(
              describe(
                  "are dates of JDBC, or dates without an offset from UTC",
                  type ->
                      Set.of(
                              "java.sql.Date",
                              "java.sql.Time",
                              "java.sql.Timestamp",
                              "java.util.Date",
                              "java.util.Calendar",
                              "java.util.GregorianCalendar",
                              "java.time.LocalDate",
                              "java.time.LocalTime",
                              "java.time.LocalDateTime",
                              "java.time.OffsetDateTime",
                              "java.time.OffsetTime",
                              "java.time.ZonedDateTime")
                          .contains(type.getName())));

  @ArchTest
  static final ArchRule no_class_has_the_driver_read_or_write_a_date =
      noClasses()
          .should()
          .accessTargetWhere(
              named(ResultSet.class, "getDate|getTime|getTimestamp|getObject")
                  .or(named(PreparedStatement.class, "setDate|setTime|setTimestamp|setObject"))
                  .or(named(SQLDataType.class, "(LOCAL|OFFSET)?(DATE|TIME).*|INSTANT|YEAR"))
                  .or(named(DSL.class, ".*(Date|Time|Instant).*|(date|time|local).*|now"))
                  .or(fieldWithoutType()));

  @ArchTest
  static final ArchRule no_class_asks_for_the_time_zone_of_the_jvm =
      noClasses()
          .should()
          .accessTargetWhere(
              named(ZoneId.class, "systemDefault")
                  .or(named(TimeZone.class, "getDefault|setDefault"))
                  .or(named(Clock.class, "systemDefaultZone")));

  private static DescribedPredicate<JavaAccess<?>> named(Class<?> owner, String pattern) {
    return describe(
        owner.getSimpleName() + "." + pattern,
        access ->
            access.getTargetOwner().isAssignableTo(owner)
                && access.getTarget().getName().matches(pattern));
  }

  /** jOOQ reads one as whatever the driver takes it for, a date as well. */
  private static DescribedPredicate<JavaAccess<?>> fieldWithoutType() {
    return describe(
        "DSL.field without a type",
        access ->
            access.getTargetOwner().isEquivalentTo(DSL.class)
                && access.getTarget().getName().equals("field")
                && access.getTarget() instanceof CodeUnitCallTarget called
                && isWithoutType(called.getRawParameterTypes()));
  }

  private static boolean isWithoutType(List<JavaClass> parameters) {
    boolean plain =
        Stream.of(String.class, org.jooq.Name.class, org.jooq.SQL.class)
            .anyMatch(parameters.get(0)::isEquivalentTo);
    return plain
        && parameters.stream()
            .noneMatch(
                type -> type.isEquivalentTo(DataType.class) || type.isEquivalentTo(Class.class));
  }

  private static ArchRule onlyIn(String ours, String... theirs) {
    return noClasses()
        .that()
        .resideOutsideOfPackage("io.github.slotbloom." + ours + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(theirs);
  }
}
