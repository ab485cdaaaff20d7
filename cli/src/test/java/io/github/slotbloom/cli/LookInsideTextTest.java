package io.github.slotbloom.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.cli.text.HeatMapText;
import io.github.slotbloom.cli.text.Json;
import io.github.slotbloom.cli.text.KeyExplanationText;
import io.github.slotbloom.cli.text.VerifyText;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.CurrentFalsePositiveRate;
import io.github.slotbloom.report.Finding;
import io.github.slotbloom.report.Finding.Kind;
import io.github.slotbloom.report.Finding.Severity;
import io.github.slotbloom.report.HeatMap;
import io.github.slotbloom.report.HeatMap.Range;
import io.github.slotbloom.report.KeyExplanation;
import io.github.slotbloom.report.KeyExplanation.InGeneration;
import io.github.slotbloom.report.KeyExplanation.Probed;
import io.github.slotbloom.report.VerifyReport;
import io.github.slotbloom.report.VerifyReport.Checked;
import io.github.slotbloom.report.VerifyReport.Unchecked;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What people and programs read of a look into a filter. */
class LookInsideTextTest {

  /** Four ranges of ten slots, the last one shorter: empty, one bit, half of them, all. */
  private static final HeatMap MAP =
      new HeatMap(
          1,
          true,
          "bloom_bits_x_v1",
          35 * 64,
          3,
          35,
          10,
          List.of(
              new Range(0, 10, 0, 0),
              new Range(10, 10, 1, 1),
              new Range(20, 10, 10, 320),
              new Range(30, 5, 5, 320)));

  @Test
  void aMapHasAMarkForEachRangeAndSaysWhatItMeans() {
    assertThat(new HeatMapText(false, false, 3).lines(MAP))
        .startsWith("   0  ▁▅", "  30 █")
        .anySatisfy(
            line -> assertThat(line).contains("none is blank", "▁ to 12.5 %", "█ to 100.0 %"))
        .last()
        .asString()
        .contains("10 slots", "641 of 2,240 bits (28.62 %)", "(slot 0)", "(slot 30)", "16 of 35");
    assertThat(new HeatMapText(true, false, 64).lines(MAP).get(0)).isEqualTo("   0  .+@");
    assertThat(new HeatMapText(true, true, 64).lines(MAP).get(0))
        .isEqualTo(
            "   0  \u001b[38;5;27m.\u001b[0m\u001b[38;5;42m+\u001b[0m\u001b[38;5;196m@\u001b[0m");
  }

  @Test
  void aReportShowsFindingsInALineAndAsFigures() {
    Finding finding =
        new Finding(
            Severity.DAMAGE,
            Kind.BEYOND_END,
            "bloom_bits_x_v1",
            1,
            -1L,
            null,
            "a row",
            "none beyond slot 34",
            "Mend it.");
    VerifyReport report =
        new VerifyReport(
            "x",
            1,
            5,
            4,
            List.of(new Checked(Check.JOURNAL, 5, "entries")),
            List.of(new Unchecked(Check.FILL, "No.")),
            List.of(finding),
            Map.of(Kind.BEYOND_END, 7L),
            new CurrentFalsePositiveRate(0.002, 0.001),
            List.of("Something was done."),
            List.of("Something was not done: why."));
    VerifyText text = new VerifyText(report);
    assertThat(text.lines())
        .containsExactly(
            "repaired   Something was done.",
            "unrepaired Something was not done: why.",
            "checked    journal             entries: 5",
            "measured   false-positive-rate 0.00200, estimated from the set bits; the target is"
                + " 0.00100",
            "unchecked  fill                No.",
            "DAMAGE     beyond-end in bloom_bits_x_v1, slot 18446744073709551615: found a row;"
                + " expected none beyond slot 34. Mend it.",
            "and 7 more of beyond-end",
            "Filter x is damaged; findings: 8.");
    assertThat(Json.of(text.figures()))
        .contains(
            "\"sound\":false",
            "\"slot\":18446744073709551615",
            "\"unlisted\":{\"beyond-end\":7}",
            "\"current\":0.002")
        .doesNotContain("null");
  }

  @Test
  void aKeyWhoseGenerationsExpiredIsNoMember() {
    List<Probed> set = List.of(new Probed(65, 1, 1, true, false));
    List<Probed> clear = List.of(new Probed(65, 1, 1, false, false));
    KeyExplanationText expired =
        explained(
            new InGeneration(1, true, "bloom_bits_x_v1", set, true),
            new InGeneration(2, true, "bloom_bits_x_v2", clear, false));
    assertThat(expired.lines())
        .contains("generation 1 (bloom_bits_x_v1, expired): has all of its bits")
        .last()
        .asString()
        .startsWith("It is not a member anymore: ");
    assertThat(expired.figures()).containsEntry("member", false);

    KeyExplanationText renewed =
        explained(
            new InGeneration(1, true, "bloom_bits_x_v1", set, true),
            new InGeneration(2, true, "bloom_bits_x_v2", set, false));
    assertThat(renewed.lines())
        .last()
        .asString()
        .startsWith("It is a member: generation 2 has all of its bits");
    assertThat(renewed.figures()).containsEntry("member", true);
  }

  private static KeyExplanationText explained(InGeneration... generations) {
    return new KeyExplanationText(
        new KeyExplanation("x", 7, 5, 5, List.of(generations), List.of(), null, null));
  }
}
