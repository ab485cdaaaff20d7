package io.github.slotbloom.cli.text;

import io.github.slotbloom.report.HeatMap;
import io.github.slotbloom.report.HeatMap.Range;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Draws the fill of a generation, with one character for each range of slots. */
public final class HeatMapText {

  /** The characters for eighths of the bits, starting with one set bit. */
  private static final String BLOCKS = "▁▂▃▄▅▆▇█";

  private static final String ASCII = ".:-=+*#@";

  /** From blue to red, out of the 256 colors of terminals. */
  private static final int[] COLORS = {27, 33, 39, 44, 42, 220, 208, 196};

  private static final String PLAIN = "\u001b[0m";

  private final String marks;
  private final boolean colored;
  private final int columns;

  /**
   * @param columns the characters of a line that show ranges
   */
  public HeatMapText(boolean ascii, boolean colored, int columns) {
    this.marks = ascii ? ASCII : BLOCKS;
    this.colored = colored;
    this.columns = columns;
  }

  /** Returns the map and its legend. */
  public List<String> lines(HeatMap map) {
    List<Range> ranges = map.ranges();
    List<String> lines = new ArrayList<>();
    int digits = Long.toString(map.slots() - 1).length();
    for (int from = 0; from < ranges.size(); from += columns) {
      StringBuilder line = new StringBuilder();
      line.append(
          String.format(Locale.ROOT, "%" + (digits + 2) + "d ", ranges.get(from).firstSlot()));
      ranges.subList(from, Math.min(ranges.size(), from + columns)).forEach(r -> mark(line, r));
      lines.add(line.toString());
    }
    lines.add(legend());
    Comparator<Range> byFill = Comparator.comparingDouble(Range::fill);
    Range emptiest = ranges.stream().min(byFill).orElseThrow();
    Range fullest = ranges.stream().max(byFill).orElseThrow();
    lines.add(
        String.format(
            Locale.ROOT,
            "  each mark is %,d slots of 64 bits; set: %,d of %,d bits (%.2f %%), %.2f %% in the"
                + " emptiest range (slot %d), %.2f %% in the fullest (slot %d); rows: %,d of %,d",
            map.slotsPerRange(),
            map.bitsSet(),
            map.bits(),
            100 * map.fill(),
            100 * emptiest.fill(),
            emptiest.firstSlot(),
            100 * fullest.fill(),
            fullest.firstSlot(),
            map.rows(),
            map.slots()));
    return lines;
  }

  private void mark(StringBuilder line, Range range) {
    if (range.bitsSet() == 0) {
      line.append(' ');
      return;
    }
    mark(line, level(range.fill()));
  }

  private void mark(StringBuilder line, int level) {
    if (colored) {
      line.append("\u001b[38;5;").append(COLORS[level]).append('m');
    }
    line.append(marks.charAt(level));
    if (colored) {
      line.append(PLAIN);
    }
  }

  private int level(double fill) {
    return Math.min(marks.length() - 1, (int) (fill * marks.length()));
  }

  private String legend() {
    StringBuilder line = new StringBuilder("  bits set: none is blank");
    for (int level = 0; level < marks.length(); level++) {
      line.append(", ");
      mark(line, level);
      line.append(String.format(Locale.ROOT, " to %.1f %%", 100.0 * (level + 1) / marks.length()));
    }
    return line.toString();
  }
}
