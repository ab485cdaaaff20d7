package io.github.slotbloom.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.github.slotbloom.testing.CycleRules;
import io.github.slotbloom.testing.DateRules;

/** Checks which package of the command line may import which, and what it takes of the library. */
@AnalyzeClasses(
    packages = "io.github.slotbloom.cli",
    importOptions = ImportOption.DoNotIncludeTests.class)
class CliArchitectureTest {

  @ArchTest
  static final ArchRule the_command_line_uses_the_public_packages_of_the_library =
      noClasses().should().dependOnClassesThat().resideInAPackage("io.github.slotbloom.internal..");

  @ArchTest
  static final ArchRule packages_are_free_of_cycles =
      slices().matching("io.github.slotbloom.cli.(*)..").should().beFreeOfCycles();

  @ArchTest static final ArchTests classes_are_free_of_cycles = ArchTests.in(CycleRules.class);

  @ArchTest
  static final ArchRule only_the_page_uses_its_templates =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.github.slotbloom.cli.page")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("com.samskivert..");

  @ArchTest
  static final ArchRule the_page_knows_nothing_of_the_commands =
      noClasses()
          .that()
          .resideInAPackage("io.github.slotbloom.cli.page..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.github.slotbloom.cli",
              "io.github.slotbloom.cli.command",
              "io.github.slotbloom.cli.connect",
              "io.github.slotbloom.cli.embedded",
              "io.github.slotbloom.cli.line",
              "io.github.slotbloom.cli.terminal",
              "io.github.slotbloom.cli.text");

  @ArchTest static final ArchTests no_date_passes_through_the_jvm = ArchTests.in(DateRules.class);
}
