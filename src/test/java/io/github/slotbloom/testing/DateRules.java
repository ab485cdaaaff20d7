package io.github.slotbloom.testing;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Clock;
import java.time.ZoneId;
import java.util.Set;
import java.util.TimeZone;

/** Rules for all modules about reading and writing dates. */
public final class DateRules {

  /**
   * Dates must come from the server as a number or as text. The driver creates dates in the time
   * zone of the JVM, and throws an exception for dates that the time zone skips.
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
      noClassUses(
          named(ResultSet.class, "getDate|getTime|getTimestamp|getObject")
              .or(named(PreparedStatement.class, "setDate|setTime|setTimestamp|setObject")));

  @ArchTest
  static final ArchRule no_class_asks_for_the_time_zone_of_the_jvm =
      noClassUses(
          named(ZoneId.class, "systemDefault")
              .or(named(TimeZone.class, "getDefault|setDefault"))
              .or(named(Clock.class, "systemDefaultZone")));

  static ArchRule noClassUses(DescribedPredicate<JavaAccess<?>> target) {
    return noClasses().should().accessTargetWhere(target);
  }

  static DescribedPredicate<JavaAccess<?>> named(Class<?> owner, String pattern) {
    return describe(
        owner.getSimpleName() + "." + pattern,
        access ->
            access.getTargetOwner().isAssignableTo(owner)
                && access.getTarget().getName().matches(pattern));
  }

  private DateRules() {}
}
