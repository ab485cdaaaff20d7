package io.github.slotbloom.testing;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;

/** Rules for all modules: neither classes nor packages must depend on each other in a cycle. */
public final class CycleRules {

  @ArchTest
  static final ArchRule classes_are_free_of_cycles =
      slices().assignedFrom(new EachTopLevelClass()).should().beFreeOfCycles();

  /** Those with the API are used by all others, and use them. */
  @ArchTest
  static final ArchRule internal_packages_are_free_of_cycles =
      slices()
          .matching("io.github.slotbloom.internal.(*)..")
          .should()
          .beFreeOfCycles()
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule packages_in_packages_are_free_of_cycles =
      slices()
          .matching("io.github.slotbloom.internal.(**)")
          .should()
          .beFreeOfCycles()
          .allowEmptyShould(true);

  private CycleRules() {}

  /** Counts nested classes as part of the class around them. */
  private static final class EachTopLevelClass implements SliceAssignment {

    @Override
    public SliceIdentifier getIdentifierOf(JavaClass type) {
      JavaClass outermost = type;
      while (outermost.getEnclosingClass().isPresent()) {
        outermost = outermost.getEnclosingClass().get();
      }
      return SliceIdentifier.of(outermost.getName());
    }

    @Override
    public String getDescription() {
      return "each top-level class";
    }
  }
}
