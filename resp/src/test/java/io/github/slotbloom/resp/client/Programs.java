package io.github.slotbloom.resp.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Clients that are programs of their own, where they are installed. */
final class Programs {

  private static final int PATIENCE_SECONDS = 120;

  private Programs() {}

  /** Skips the test, and says so, where a program is missing that it needs. */
  static void assumeRuns(String... command) throws InterruptedException {
    boolean runs;
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      runs = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      runs = false;
    }
    if (!runs) {
      System.out.println("Not tried, since this does not run here: " + String.join(" ", command));
    }
    assumeThat(runs).isTrue();
  }

  /** Runs a program to its end, and returns what it printed. */
  static String run(Map<String, String> environment, String input, String... command)
      throws IOException, InterruptedException {
    Path file = Files.createTempFile("client", ".txt");
    Files.writeString(file, input);
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectInput(file.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    Files.delete(file);
    return output;
  }
}
