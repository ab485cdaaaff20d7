package io.github.slotbloom.spark;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.github.slotbloom.testing.CycleRules;

/** Checks what the classes for Spark take of the library, and of each other. */
@AnalyzeClasses(
    packages = "io.github.slotbloom.spark",
    importOptions = ImportOption.DoNotIncludeTests.class)
class SparkArchitectureTest {

  @ArchTest static final ArchTests classes_are_free_of_cycles = ArchTests.in(CycleRules.class);

  @ArchTest
  static final ArchRule nothing_reaches_past_the_library_into_its_tables =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.github.slotbloom.internal.store..",
              "io.github.slotbloom.internal.engine..",
              "io.github.slotbloom.internal.add..");
}
