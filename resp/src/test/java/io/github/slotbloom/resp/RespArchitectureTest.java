package io.github.slotbloom.resp;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.github.slotbloom.testing.CycleRules;
import io.github.slotbloom.testing.DateRules;

/** Bytes, commands and answers have rooms of their own. */
@AnalyzeClasses(
    packages = "io.github.slotbloom.resp",
    importOptions = ImportOption.DoNotIncludeTests.class)
class RespArchitectureTest {

  @ArchTest
  static final ArchRule the_server_uses_the_public_packages_of_the_library =
      noClasses().should().dependOnClassesThat().resideInAPackage("io.github.slotbloom.internal..");

  @ArchTest
  static final ArchRule packages_are_free_of_cycles =
      slices().matching("io.github.slotbloom.resp.(*)..").should().beFreeOfCycles();

  @ArchTest static final ArchTests classes_are_free_of_cycles = ArchTests.in(CycleRules.class);

  @ArchTest static final ArchTests no_date_passes_through_the_jvm = ArchTests.in(DateRules.class);

  @ArchTest
  static final ArchRule bytes_and_answers_know_nothing_of_filters =
      noClasses()
          .that()
          .resideInAnyPackage("..resp.protocol", "..resp.reply")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.github.slotbloom", "..resp.command", "..resp.filter", "io.github.slotbloom.resp");

  @ArchTest
  static final ArchRule commands_and_filters_know_nothing_of_the_network =
      noClasses()
          .that()
          .resideInAnyPackage("..resp.command", "..resp.filter")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.netty..");

  @ArchTest
  static final ArchRule filters_know_nothing_of_requests_and_answers =
      classes()
          .that()
          .resideInAPackage("..resp.filter")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "java..",
              "org.jspecify..",
              "io.github.slotbloom",
              "io.github.slotbloom.core",
              "io.github.slotbloom.error",
              "..resp.filter");
}
