package io.github.slotbloom;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing that must come is given up within half a minute: a machine may have much to do. */
class WaitsTest {

  private static final Pattern FEW_SECONDS =
      Pattern.compile(
          "atMost\\(Duration\\.of(Millis\\(\\d|Seconds\\([12]?[0-9]\\))"
              + "|\\.(get|poll|await|join|waitFor)\\([12]?[0-9], (TimeUnit\\.)?SECONDS\\)"
              + "|@Timeout\\([12]?[0-9]\\)");

  @ParameterizedTest
  @ValueSource(
      strings = {"src", "cli/src", "micrometer/src", "resp/src", "spark/src", "spring", "perf/src"})
  void noTestGivesUpWithinHalfAMinute(String directory) throws IOException {
    try (Stream<Path> files = Files.walk(Path.of(directory))) {
      assertThat(
              files
                  .filter(file -> file.toString().matches(".*/src/test/java/.*\\.java"))
                  .flatMap(WaitsTest::lines)
                  .filter(line -> FEW_SECONDS.matcher(line).find()))
          .isEmpty();
    }
  }

  private static Stream<String> lines(Path source) {
    try {
      return Files.readAllLines(source).stream().map(line -> source + ": " + line.strip());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
