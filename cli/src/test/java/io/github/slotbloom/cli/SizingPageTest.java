package io.github.slotbloom.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.testing.Checkout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The figures of docs/sizing.md are those that {@code slotbloom plan} prints. */
class SizingPageTest {

  private static final List<String> RATES = List.of("0.01", "0.001", "0.0001");

  @TempDir Path directory;

  private InProcess here;

  @BeforeEach
  void begin() {
    here = new InProcess(directory);
  }

  @Test
  void memoryAndDiskByCapacityAndRateAreThoseOfThePlan() throws Exception {
    List<String> rows = rows("\\| ([0-9,]+) \\|.*");
    assertThat(rows).hasSize(2 * 5);

    List<String> planned = new ArrayList<>();
    for (String row : rows) {
      String capacity = row.substring(2, row.indexOf(" |"));
      boolean memory = planned.size() < rows.size() / 2;
      StringBuilder cells = new StringBuilder("| " + capacity + " |");
      for (String rate : RATES) {
        String plan = plan("--capacity " + capacity.replace(",", "") + " --fpp " + rate);
        cells.append(' ').append(memory ? memory(plan) : table(plan)).append(" |");
      }
      planned.add(cells.toString());
    }

    assertThat(rows).isEqualTo(planned);
  }

  @Test
  void memoryAndDiskByOptionAreThoseOfThePlan() throws Exception {
    List<String> rows = rows("\\| `plan (--.*)`.*");
    assertThat(rows).hasSize(3);

    List<String> planned = new ArrayList<>();
    for (String row : rows) {
      String options = row.substring("| `plan ".length(), row.indexOf("` |"));
      String plan = plan(options);
      planned.add("| `plan %s` | %s | %s |".formatted(options, memory(plan), table(plan)));
    }

    assertThat(rows).isEqualTo(planned);
  }

  private static List<String> rows(String pattern) throws Exception {
    return Files.readAllLines(Checkout.file("docs/sizing.md")).stream()
        .filter(line -> line.matches(pattern))
        .toList();
  }

  private String plan(String options) throws Exception {
    return here.out("plan " + options);
  }

  private static String memory(String plan) {
    return first(plan, "memory of the mirror");
  }

  private static String table(String plan) {
    return first(plan, "slot tables? when full");
  }

  /** The default layout comes first. */
  private static String first(String plan, String title) {
    return Pattern.compile("(?m)^" + title + " +(\\S+ \\S+)")
        .matcher(plan)
        .results()
        .findFirst()
        .map((MatchResult found) -> found.group(1))
        .orElseThrow();
  }
}
