package io.github.slotbloom.internal.sql;

import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.catalog.GenerationRecord;
import io.github.slotbloom.internal.store.slots.SlotRanges;
import io.github.slotbloom.report.InspectionQuery;
import java.math.BigDecimal;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Provides the {@link InspectionQueries} that read the slot tables. */
final class SlotQueries {

  /** The number of ranges that are compared to find skew. */
  private static final int RANGES = 16;

  /** The number of characters in a bar for a range in which all bits are set. */
  private static final int BAR = 50;

  private final FilterRecord filter;

  SlotQueries(FilterRecord filter) {
    this.filter = filter;
  }

  InspectionQuery fill() {
    return new InspectionQuery(
        "Fill of each generation",
        """
        Rows, bits that are set, and what follows from them: keys, and how often the generation errs
        by itself. A row that is missing is 64 zero bits."""
            + sources(),
        """
        SELECT generation, state, slot_rows, slots - slot_rows AS missing_rows, bits_set,
            ROUND(100 * bits_set / bits, 2) AS percent_set,
            IF(saturated, 'at least', 'about') AS estimate, ROUND(estimated) AS estimated_keys, capacity,
            CAST(rate AS FLOAT) AS false_positive_rate, target
          FROM (
            %s) AS generations
          ORDER BY generation;"""
            .formatted(nested(ofEach(filter.set().all(), this::figuresOf))));
  }

  private String figuresOf(GenerationRecord generation) {
    return """
        SELECT %s AS generation, %s AS state, %s AS capacity, %s AS target,
            %s AS slots, %s AS bits,
            %s
          FROM %s"""
        .formatted(
            generation.number(),
            state(generation),
            generation.capacity(),
            plain(generation.falsePositiveRate()),
            generation.parameters().slots(),
            generation.parameters().bits(),
            nested(sql(generation).figures()),
            sql(generation).units());
  }

  private String state(GenerationRecord generation) {
    String lasts = BucketQuery.lasts(filter, generation);
    if (lasts != null) {
      return "IF(" + lasts + ", 'answers', 'has expired')";
    }
    return filter.generations().contains(generation) ? "'answers'" : "'is being filled'";
  }

  InspectionQuery estimatedKeys() {
    return new InspectionQuery(
        "Estimated number of keys",
        """
        Distinct keys that the set bits tell of, beside those that were counted when they were added.
        The figures are current if unfolded_keys is 0."""
            + sources(),
        """
        SELECT %s,
            %s AS unfolded_keys,
            IF(MAX(saturated), 'at least', 'about') AS estimate,
            ROUND(SUM(estimated)) AS estimated_keys, %s AS capacity,
            ROUND(100 * SUM(estimated) / %3$s, 1) AS percent_full
          FROM (
            %s) AS generations;"""
            .formatted(
                Stream.of(
                        "keys_added",
                        filter.removable() ? "keys_removed" : "",
                        filter.window() == null ? "" : "keys_renewed")
                    .filter(column -> !column.isEmpty())
                    .map(this::count)
                    .collect(Collectors.joining(",\n    ")),
                unfoldedKeys(),
                filter.capacity(),
                nested(ofEach(filter.generations(), this::estimateOf))));
  }

  private String count(String column) {
    return "(SELECT %s FROM bloom_journal WHERE filter_id = %s AND seq = 0) AS %1$s"
        .formatted(column, filter.id());
  }

  private String estimateOf(GenerationRecord generation) {
    FillSql sql = sql(generation);
    return """
        SELECT %s AS estimated,
            %s AS saturated
          FROM %s%s"""
        .formatted(sql.estimatedKeys(), sql.saturated(), sql.units(), ifLasting(generation));
  }

  /** Returns the condition that leaves out the bits of a bucket that expired. */
  private String ifLasting(GenerationRecord generation) {
    String lasts = BucketQuery.lasts(filter, generation);
    return lasts == null ? "" : "\n  WHERE " + lasts;
  }

  /**
   * Returns the query for the false positive rate. Small rates are added up, because they would be
   * lost in a difference from 1.
   */
  InspectionQuery falsePositiveRate() {
    return new InspectionQuery(
        "Error rate now",
        """
        How often a key that was never added is answered as a member: that any generation errs. The
        figures are current if unfolded_keys is 0."""
            + sources(),
        """
        SELECT CAST(rate AS FLOAT) AS false_positive_rate, ROUND(1 / NULLIF(rate, 0)) AS one_in,
            %s AS target,
            %s AS unfolded_keys
          FROM (
            SELECT CASE WHEN MAX(rate) = 1 THEN 1
                  WHEN SUM(rate) < 1e-6 THEN SUM(rate)
                  ELSE 1 - EXP(SUM(LN(NULLIF(1 - rate, 0)))) END AS rate
              FROM (
                %s) AS generations) AS whole;"""
            .formatted(
                plain(filter.falsePositiveRate()),
                unfoldedKeys(),
                nested(nested(ofEach(filter.generations(), this::rateOf)))));
  }

  private String unfoldedKeys() {
    return """
        (
              SELECT COALESCE(SUM(LENGTH(payload) DIV 8), 0) FROM bloom_journal
                WHERE filter_id = %s AND kind %s
                  AND seq > (SELECT folded_seq FROM bloom_fold WHERE filter_id = %1$s))"""
        .formatted(filter.id(), filter.window() == null ? "= 'ADD'" : "IN ('ADD', 'RENEW')");
  }

  private String rateOf(GenerationRecord generation) {
    FillSql sql = sql(generation);
    return """
        SELECT %s AS rate
          FROM %s%s"""
        .formatted(sql.falsePositiveRate(), sql.units(), ifLasting(generation));
  }

  List<InspectionQuery> skew() {
    return filter.set().all().stream().map(SlotQueries::skewOf).toList();
  }

  /**
   * Returns the query for one generation. Its ranges have whole blocks, as in {@link SlotRanges}.
   */
  private static InspectionQuery skewOf(GenerationRecord generation) {
    SlotRanges ranges = new SlotRanges(generation, RANGES);
    return new InspectionQuery(
        "Skew of generation " + generation.number(),
        """
        How full each of %s ranges of slots is, and that in percent of the mean: near 100 everywhere,
        unless keys were chosen to collide, or rows are lost. A bar of %s would be all bits. Reads the
        slot table once."""
            .formatted(ranges.size(), BAR),
        """
        WITH RECURSIVE
          parts AS (
            SELECT CAST(0 AS UNSIGNED) AS part
            UNION ALL
            SELECT part + 1 FROM parts WHERE part + 1 < %s),
          counted AS (
            SELECT slot DIV %s AS part, COUNT(*) AS slot_rows, SUM(BIT_COUNT(bits)) AS bits_set
              FROM %s
              WHERE slot < %s
              GROUP BY slot DIV %2$s),
          ranges AS (
            SELECT part * %2$s AS first_slot, LEAST(%2$s, %4$s - part * %2$s) AS slots,
                COALESCE(slot_rows, 0) AS slot_rows, COALESCE(bits_set, 0) AS bits_set
              FROM parts LEFT JOIN counted USING (part))
        SELECT first_slot, slots, slot_rows, bits_set,
            ROUND(1e2 * bits_set / slots / 64, 2) AS percent_set,
            ROUND(1e2 * bits_set / slots * SUM(slots) OVER () / NULLIF(SUM(bits_set) OVER (), 0), 1)
              AS percent_of_mean,
            REPEAT('#', ROUND(%se0 * bits_set / slots / 64)) AS bar
          FROM ranges
          ORDER BY first_slot;"""
            .formatted(
                ranges.size(),
                ranges.slotsPerRange(),
                generation.slotTable(),
                generation.parameters().slots(),
                BAR));
  }

  InspectionQuery bitsOutside() {
    return new InspectionQuery(
        "Bits that no key can own",
        """
        Rows beyond the bit array, or with bits beyond it. Anything but 0 is damage, of which the command
        verify tells more. Reads the end of each slot table by primary key.""",
        ofEach(filter.set().all(), SlotQueries::outsideOf) + "\nORDER BY generation;");
  }

  private static String outsideOf(GenerationRecord generation) {
    long slots = generation.parameters().slots();
    int bitsInLast = Long.bitCount(generation.parameters().lastSlotMask());
    return """
        SELECT %s AS generation, COUNT(*) AS rows_outside
          FROM %s
          WHERE slot >= %s"""
            .formatted(generation.number(), generation.slotTable(), slots)
        + (bitsInLast == Long.SIZE
            ? ""
            : " OR slot = %s AND bits >> %s <> 0".formatted(slots - 1, bitsInLast));
  }

  /** Returns the text on the sources of the figures, and on the cost. */
  private String sources() {
    return """

        Keys that wait to be folded are not in it. Reads each slot table once"""
        + switch (filter.layout()) {
          case BLOCKED -> ", and groups its rows by\nblock in a temporary table.";
          case STANDARD -> ".";
        };
  }

  private static String ofEach(
      List<GenerationRecord> generations, Function<GenerationRecord, String> part) {
    return generations.stream().map(part).collect(Collectors.joining("\nUNION ALL\n"));
  }

  private static String nested(String sql) {
    return sql.indent(4).strip();
  }

  private static FillSql sql(GenerationRecord generation) {
    return new FillSql(generation.parameters(), generation.slotTable());
  }

  /** Formats a rate without an exponent. */
  private static String plain(double rate) {
    return BigDecimal.valueOf(rate).stripTrailingZeros().toPlainString();
  }
}
