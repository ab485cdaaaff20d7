package io.github.slotbloom.cli.page;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.report.HeatMap;
import io.github.slotbloom.report.HeatMap.Range;
import java.util.ArrayList;
import java.util.List;

/**
 * The fill of one generation, with one cell for each range of slots, row by row. The tone of a cell
 * shows how far its fill is from that of the generation. Seven tones stand for differences that
 * chance can explain, and one at each end for those that it cannot.
 */
final class HeatGrid {

  static final int COLUMNS = 48;

  private static final int CELL = 10;
  private static final int SQUARE = 9;
  private static final int HIGHEST_TONE = 8;
  private static final int MIDDLE_TONE = HIGHEST_TONE / 2;

  /** A range that differs from the others, and its cell. */
  record Outlier(int cell, Range range, Kind kind) {

    enum Kind {
      TOO_EMPTY,
      TOO_FULL,
      ROWS_MISSING
    }
  }

  /** The cells of one tone. Tone 0 is the emptiest. */
  record Tone(int tone, String cells) {}

  /** A marked cell and the meaning of its mark. */
  record Mark(String cross, String meaning) {}

  private final HeatMap map;
  private final Chance chance;

  HeatGrid(HeatMap map, Layout layout) {
    this.map = map;
    this.chance =
        new Chance(
            new BloomParameters(layout, map.bits(), map.hashes()),
            map.bitsSet(),
            map.ranges().size());
  }

  int generation() {
    return map.generation();
  }

  boolean isFilling() {
    return !map.active();
  }

  String slotTable() {
    return map.slotTable();
  }

  int width() {
    return CELL * COLUMNS;
  }

  int height() {
    return CELL * ((map.ranges().size() + COLUMNS - 1) / COLUMNS);
  }

  String cells() {
    return Notation.count(map.ranges().size(), "range");
  }

  String slotsPerCell() {
    return Notation.count(map.slotsPerRange(), "slot");
  }

  String fill() {
    return Notation.share(map.fill());
  }

  String emptiest() {
    return Notation.share(map.ranges().stream().mapToDouble(this::fill).min().orElse(0));
  }

  String fullest() {
    return Notation.share(map.ranges().stream().mapToDouble(this::fill).max().orElse(0));
  }

  List<Tone> tones() {
    List<StringBuilder> paths = new ArrayList<>();
    for (int tone = 0; tone <= HIGHEST_TONE; tone++) {
      paths.add(new StringBuilder());
    }
    for (int cell = 0; cell < map.ranges().size(); cell++) {
      paths
          .get(tone(map.ranges().get(cell)))
          .append(corner(cell))
          .append("h" + SQUARE + "v" + SQUARE + "h-" + SQUARE + "z");
    }
    List<Tone> tones = new ArrayList<>();
    for (int tone = 0; tone <= HIGHEST_TONE; tone++) {
      if (!paths.get(tone).isEmpty()) {
        tones.add(new Tone(tone, paths.get(tone).toString()));
      }
    }
    return tones;
  }

  private int tone(Range range) {
    double deviation = deviation(range) / chance.limit(bits(range));
    if (Math.abs(deviation) > 1) {
      return deviation < 0 ? 0 : HIGHEST_TONE;
    }
    return MIDDLE_TONE + (int) Math.round(deviation * (MIDDLE_TONE - 0.51));
  }

  boolean hasLeast() {
    return map.fill() > limit();
  }

  boolean hasMost() {
    return map.fill() + limit() < 1;
  }

  /** Returns the lowest fill that chance can explain, for all ranges but the last. */
  String least() {
    return Notation.share(map.fill() - limit());
  }

  /** Returns the highest such fill. */
  String most() {
    return Notation.share(map.fill() + limit());
  }

  private double limit() {
    long bits = bits(map.ranges().get(0));
    return chance.limit(bits) / bits;
  }

  boolean hasMarks() {
    return !outliers().isEmpty();
  }

  List<Mark> marks() {
    return outliers().stream()
        .map(outlier -> new Mark(cross(outlier.cell()), meaning(outlier)))
        .toList();
  }

  private static String cross(int cell) {
    return corner(cell) + "m2 2l5 5m0 -5l-5 5";
  }

  private static String corner(int cell) {
    return "M" + CELL * (cell % COLUMNS) + " " + CELL * (cell / COLUMNS);
  }

  private String meaning(Outlier outlier) {
    Range range = outlier.range();
    String slots =
        "slots "
            + Notation.count(range.firstSlot())
            + " to "
            + Notation.count(range.firstSlot() + range.slots() - 1)
            + ": ";
    return switch (outlier.kind()) {
      case TOO_EMPTY, TOO_FULL -> slots + "fill " + Notation.share(fill(range));
      case ROWS_MISSING -> slots + Notation.count(withoutRow(range), "row") + " missing";
    };
  }

  /** Returns the number of slots without a row; 0 if chance may have left them empty. */
  long missingRows() {
    long missing = map.ranges().stream().mapToLong(this::withoutRow).sum();
    return chance.leavesFewerThan(missing) ? missing : 0;
  }

  /** Returns the ranges that chance does not explain, from slot 0 on. */
  List<Outlier> outliers() {
    boolean rowsAreMissing = missingRows() > 0;
    List<Outlier> outliers = new ArrayList<>();
    for (int cell = 0; cell < map.ranges().size(); cell++) {
      Range range = map.ranges().get(cell);
      double deviation = deviation(range);
      if (Math.abs(deviation) > chance.limit(bits(range))) {
        outliers.add(
            new Outlier(
                cell, range, deviation < 0 ? Outlier.Kind.TOO_EMPTY : Outlier.Kind.TOO_FULL));
      } else if (rowsAreMissing && withoutRow(range) > 0) {
        outliers.add(new Outlier(cell, range, Outlier.Kind.ROWS_MISSING));
      }
    }
    return outliers;
  }

  /**
   * Counts full slots of 64 bits only: the last slot may be so short that all its bits are clear by
   * chance.
   */
  private long withoutRow(Range range) {
    long without = range.slots() - range.rows();
    boolean endsWithin = bits(range) < range.slots() * Long.SIZE;
    return endsWithin ? Math.max(0, without - 1) : without;
  }

  /** Returns the set bits of a range minus its share of all set bits. */
  private double deviation(Range range) {
    return range.bitsSet() - map.fill() * bits(range);
  }

  double fill(Range range) {
    return (double) range.bitsSet() / bits(range);
  }

  /** Counts only bits of the bit array: the last slot may extend beyond its end. */
  private long bits(Range range) {
    return Math.min(range.slots() * Long.SIZE, map.bits() - range.firstSlot() * Long.SIZE);
  }
}
