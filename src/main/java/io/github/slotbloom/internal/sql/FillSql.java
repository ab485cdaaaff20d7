package io.github.slotbloom.internal.sql;

import static io.github.slotbloom.core.BloomParameters.BLOCK_BITS;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Fill;
import io.github.slotbloom.core.Layout;

/**
 * Computes the figures of {@link Fill} for one generation, as SQL over its slot table.
 *
 * <p>Bits are counted in units. A unit is a block with {@link Layout#BLOCKED}, otherwise the whole
 * bit array. Units without a row are not counted, and add nothing to any sum. Figures that are not
 * whole numbers are DOUBLE, since a quotient of whole numbers has only four digits in SQL. The
 * result differs from {@code Fill} by the rounding of 1 - X/m, which is less than a thousandth of a
 * key.
 *
 * @param parameters the shape of the generation
 * @param slotTable the name of its table
 */
public record FillSql(BloomParameters parameters, String slotTable) {

  private static final int BLOCK_SLOTS = BLOCK_BITS / Long.SIZE;

  /** {@return the columns {@code slot_rows, bits_set, estimated, rate, saturated}} */
  public String figures() {
    return """
        COALESCE(SUM(slot_rows), 0) AS slot_rows,
        COALESCE(SUM(ones), 0) AS bits_set,
        %s AS estimated,
        %s AS rate,
        %s AS saturated"""
        .formatted(estimatedKeys(), falsePositiveRate(), saturated());
  }

  /** {@return a derived table of the units that have rows; all figures are computed from it} */
  public String units() {
    boolean blocked = parameters.layout() == Layout.BLOCKED;
    return """
        (
            SELECT COUNT(*) AS slot_rows, SUM(BIT_COUNT(bits)) AS ones
              FROM %s
              WHERE slot < %s%s) AS %s"""
        .formatted(
            slotTable,
            parameters.slots(),
            blocked ? "\n      GROUP BY slot DIV " + BLOCK_SLOTS : "",
            blocked ? "blocks" : "counted");
  }

  /** {@return an expression, as {@link Fill#estimatedKeys}} */
  public String estimatedKeys() {
    return "COALESCE(SUM(-LN(1 - LEAST(ones, %s) / %se0)), 0) * %s / %s"
        .formatted(unitBits() - 1, unitBits(), unitBits(), parameters.hashes());
  }

  /** {@return an expression, as {@link Fill#falsePositiveRate}} */
  public String falsePositiveRate() {
    return "COALESCE(SUM(POW(LEAST(ones, %s) / %se0, %s)), 0) / %s"
        .formatted(unitBits(), unitBits(), parameters.hashes(), parameters.bits() / unitBits());
  }

  /** {@return an expression, 1 or 0, as {@link Fill#saturated}} */
  public String saturated() {
    return "COALESCE(MAX(ones >= %s), 0)".formatted(unitBits());
  }

  private long unitBits() {
    return parameters.layout() == Layout.BLOCKED ? BLOCK_BITS : parameters.bits();
  }
}
