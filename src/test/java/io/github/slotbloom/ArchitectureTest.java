package io.github.slotbloom;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.github.slotbloom.internal.time.TimeSource;
import io.github.slotbloom.testing.CycleRules;
import io.github.slotbloom.testing.DateRules;
import io.github.slotbloom.testing.JooqDateRules;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;

/** Which package may import which, and what none may use. */
@AnalyzeClasses(
    packages = "io.github.slotbloom",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule nothing_inside_uses_the_two_doors =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.github.slotbloom")
          .should()
          .dependOnClassesThat()
          .belongToAnyOf(SlotBloom.class, FilterAdmin.class);

  @ArchTest
  static final ArchRule what_applications_call_shows_nothing_of_what_is_inside =
      noMethods()
          .that()
          .areDeclaredInClassesThat()
          .resideOutsideOfPackage("io.github.slotbloom.internal..")
          .and()
          .areDeclaredInClassesThat()
          .arePublic()
          .and()
          .arePublic()
          .should(
              haveInSignature(
                  "io.github.slotbloom.internal..", "org.jooq..", "org.flywaydb..", "org.slf4j.."));

  @ArchTest
  static final ArchRule public_words_know_nothing_of_what_is_inside =
      noClasses()
          .that()
          .resideInAnyPackage("io.github.slotbloom.error", "io.github.slotbloom.report")
          .should()
          .dependOnClassesThat()
          .resideOutsideOfPackages(
              "io.github.slotbloom.error",
              "io.github.slotbloom.report",
              "java..",
              "org.jspecify..");

  @ArchTest
  static final ArchRule the_arithmetic_knows_no_database =
      noClasses()
          .that()
          .resideInAnyPackage("io.github.slotbloom.core", "io.github.slotbloom.internal.bits")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("java.sql..", "io.github.slotbloom.internal.store..");

  @ArchTest
  static final ArchRule the_store_knows_nothing_above_it =
      noClasses()
          .that()
          .resideInAPackage("io.github.slotbloom.internal.store..")
          .should()
          .dependOnClassesThat(
              resideInAPackage("io.github.slotbloom..")
                  .and(
                      not(
                          resideInAnyPackage(
                              "io.github.slotbloom.core",
                              "io.github.slotbloom.error",
                              "io.github.slotbloom.report",
                              "io.github.slotbloom.internal.bits",
                              "io.github.slotbloom.internal.store.."))));

  @ArchTest
  static final ArchRule the_mirror_knows_no_engine =
      noClasses()
          .that()
          .resideInAPackage("io.github.slotbloom.internal.mirror")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.github.slotbloom.internal.add",
              "io.github.slotbloom.internal.admin",
              "io.github.slotbloom.internal.membership",
              "io.github.slotbloom.internal.engine",
              "io.github.slotbloom.internal.fold",
              "io.github.slotbloom.internal.verify");

  @ArchTest static final ArchTests classes_are_free_of_cycles = ArchTests.in(CycleRules.class);

  @ArchTest
  static final ArchRule work_is_handed_over_in_one_place =
      noClasses()
          .that()
          .resideInAPackage("io.github.slotbloom.internal..")
          .and()
          .resideOutsideOfPackage("io.github.slotbloom.internal.background")
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

  @ArchTest
  static final ArchRule work_goes_by_the_clock_that_it_was_given =
      noClasses()
          .that()
          .resideInAPackage("io.github.slotbloom.internal..")
          .and()
          .areNotAssignableTo(TimeSource.class)
          .should()
          .callMethod(System.class, "nanoTime")
          .orShould()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(Instant.class, "now")
          .orShould()
          .callMethod(Thread.class, "sleep", long.class)
          .orShould()
          .callMethodWhere(
              target(owner(equivalentTo(LockSupport.class))).and(target(nameMatching("park.*"))))
          .orShould()
          .accessField(TimeSource.class, "SYSTEM")
          .because("tests move the time");

  @ArchTest static final ArchRule only_the_store_uses_jooq = onlyIn("internal.store", "org.jooq..");

  @ArchTest
  static final ArchRule only_the_schema_uses_flyway = onlyIn("internal.schema", "org.flywaydb..");

  @ArchTest
  static final ArchRule only_cached_lookups_use_caffeine =
      onlyIn("internal.lookup", "com.github.benmanes..");

  @ArchTest
  static final ArchRule no_class_needs_what_applications_bring =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("com.zaxxer..", "com.mysql..", "org.mariadb..");

  @ArchTest static final ArchTests no_date_passes_through_the_jvm = ArchTests.in(DateRules.class);

  @ArchTest static final ArchTests no_date_passes_through_jooq = ArchTests.in(JooqDateRules.class);

  private static ArchRule onlyIn(String ours, String... theirs) {
    return noClasses()
        .that()
        .resideOutsideOfPackage("io.github.slotbloom." + ours + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(theirs);
  }

  private static ArchCondition<JavaMethod> haveInSignature(String... packages) {
    DescribedPredicate<JavaClass> unwanted = resideInAnyPackage(packages);
    return new ArchCondition<>("have types of " + String.join(", ", packages)) {
      @Override
      public void check(JavaMethod method, ConditionEvents events) {
        boolean found = method.getAllInvolvedRawTypes().stream().anyMatch(unwanted);
        events.add(new SimpleConditionEvent(method, found, method.getFullName()));
      }
    };
  }
}
