package io.github.slotbloom;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Which package may import which. */
@AnalyzeClasses(
    packages = "io.github.slotbloom",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule packages_import_only_these_of_ours =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
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
          .mayOnlyAccessLayers("core", "store", "error", "event")
          .whereLayer("engine")
          .mayOnlyAccessLayers("core", "store", "mirror", "error", "event", "report")
          .whereLayer("cli")
          .mayOnlyAccessLayers("root", "core", "error", "event", "report")
          .whereLayer("cli")
          .mayNotBeAccessedByAnyLayer();

  @ArchTest
  static final ArchRule packages_are_free_of_cycles =
      slices().matching("io.github.slotbloom.(*)..").should().beFreeOfCycles();

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

  private static ArchRule onlyIn(String ours, String... theirs) {
    return noClasses()
        .that()
        .resideOutsideOfPackage("io.github.slotbloom." + ours + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(theirs);
  }
}
