package io.github.slotbloom.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.github.slotbloom.perf.measure.Better;
import io.github.slotbloom.perf.measure.Comparison;
import io.github.slotbloom.perf.measure.Goal;
import io.github.slotbloom.perf.measure.Series;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportsTest {

  private final RunReport run = new RunReport();
  private final CaseReport one = new CaseReport("adding", "Adding");

  @TempDir Path directory;

  @BeforeEach
  void aCase() {
    one.add(
        new Comparison(
            "Adding",
            "keys/s",
            Better.HIGHER,
            List.of(
                new Series("Slotbloom", "synced", new double[] {150, 250, 200}),
                new Series("peer", "none", new double[] {100, 100, 100})),
            List.of(
                new Goal("Slotbloom", "peer", 2, "2 times"),
                new Goal("Slotbloom", "peer", 3, "3 times"),
                new Goal("Slotbloom", "somebody else", 3, "3 times"))));
    run.add(one);
  }

  @Test
  void goalsAreMetOrMissedOrNotMeasured() {
    assertThat(MarkdownReport.goalsOf(run))
        .contains("| Adding | peer | 2 times (2) | 2 (1.50 to 2.50) | met |")
        .contains("| Adding | peer | 3 times (3) | 2 (1.50 to 2.50) | **missed** |")
        .contains("| Adding | somebody else | 3 times (3) | not measured |  |");
  }

  @Test
  void aGoalThatIsInDoubtIsNotMet() throws Exception {
    Path file = directory.resolve("results.json");
    one.add(
        new Comparison(
            "Asking",
            "answers/s",
            Better.HIGHER,
            List.of(
                new Series("Slotbloom", "synced", new double[] {300, 300, 300}),
                new Series("peer", "none", new double[] {20, 100, 20})),
            List.of(new Goal("Slotbloom", "peer", 2, "2 times"))));

    JsonReport.write(run, file);

    assertThat(MarkdownReport.goalsOf(run))
        .contains("| Asking | peer | 2 times (2) | 15 (3 to 15) | **doubtful**");
    assertThat(Files.readString(file).replaceAll("\\s", ""))
        .contains("\"met\":false,\"doubtful\":true");
  }

  @Test
  void eachFigureHasItsDurability() throws Exception {
    Path file = directory.resolve("results.md");

    MarkdownReport.write(run, file);

    assertThat(file)
        .content()
        .contains("| Slotbloom | synced | 200 | 150 | 250 |")
        .contains("| peer | none | 100 | 100 | 100 | 2 (1.50 to 2.50) | 2 times |");
  }

  @Test
  void aWrongAnswerIsMarkedAndFailsTheRun() throws Exception {
    one.checks().found("Slotbloom", 10, 9);
    Path file = directory.resolve("results.md");

    MarkdownReport.write(run, file);

    assertThat(run.isRight()).isFalse();
    assertThat(file).content().contains("**Wrong: Slotbloom: of 10 added keys 9 were found**");
  }

  @Test
  void aCaseThatDidNotEndFailsTheRun() {
    one.failed(new IllegalStateException("no server"));

    assertThat(run.isRight()).isFalse();
  }

  @Test
  void theJsonHasEveryRound() throws Exception {
    Path file = directory.resolve("results.json");

    JsonReport.write(run, file);

    Map<String, Object> json = JSON.std.mapFrom(Files.readString(file));
    assertThat(json).containsEntry("right", true);
    assertThat(Files.readString(file).replaceAll("\\s", ""))
        .contains("\"rounds\":[150.0,250.0,200.0]");
  }

  @Test
  void plotsAreImages() throws Exception {
    CurveBuilder curve = CurveBuilder.logarithmic("rates", "Rates", "keys", "per second");
    curve.point("Slotbloom", 10, 1_000);
    curve.point("Slotbloom", 100, 2_000);
    one.add(curve.build());

    Plots.write(run, directory);

    assertThat(ImageIO.read(directory.resolve("rates.png").toFile()).getWidth()).isEqualTo(900);
  }
}
