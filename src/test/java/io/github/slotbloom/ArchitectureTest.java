package io.github.slotbloom;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.github.slotbloom.testing.DateRules;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

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
          .mayOnlyAccessLayers("background", "core", "store", "mirror", "error", "event", "report");

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
  static final ArchRule no_class_needs_what_applications_bring =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("com.zaxxer..", "com.mysql..", "org.mariadb..");

  @ArchTest static final ArchTests no_date_passes_through_the_jvm = ArchTests.in(DateRules.class);

  private static ArchRule onlyIn(String ours, String... theirs) {
    return noClasses()
        .that()
        .resideOutsideOfPackage("io.github.slotbloom." + ours + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(theirs);
  }
}
