package io.github.slotbloom.testing;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static io.github.slotbloom.testing.DateRules.named;
import static io.github.slotbloom.testing.DateRules.noClassUses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitCallTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.stream.Stream;
import org.jooq.DataType;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/**
 * What {@link DateRules} means for jOOQ, which the other modules do not have: in the jar of the
 * library it has another name.
 */
public final class JooqDateRules {

  @ArchTest
  static final ArchRule no_class_has_jooq_read_or_write_a_date =
      noClassUses(
          named(SQLDataType.class, "(LOCAL|OFFSET)?(DATE|TIME).*|INSTANT|YEAR")
              .or(named(DSL.class, ".*(Date|Time|Instant).*|(date|time|local).*|now"))
              .or(fieldWithoutType()));

  /** Matches fields without a type. jOOQ reads them with the driver's type, which may be a date. */
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

  private JooqDateRules() {}
}
