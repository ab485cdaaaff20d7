package io.github.slotbloom.artifacts;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A program that is run in a directory, with the environment of this JVM and more. */
final class Command {

  private static final int PATIENCE_MINUTES = 10;

  private final Path directory;
  private final Map<String, String> environment = new HashMap<>();
  private String input = "";

  /** What a program printed. */
  record Result(String out, String err) {}

  Command(Path directory) {
    this.directory = directory;
  }

  Command with(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  Command reading(String input) {
    this.input = input;
    return this;
  }

  /** Runs the program to its end. Fails with all that it printed if it does not end well. */
  Result run(List<String> words) throws IOException, InterruptedException {
    Path in = Files.createTempFile("in", ".txt");
    Path out = Files.createTempFile("out", ".txt");
    Path err = Files.createTempFile("err", ".txt");
    try {
      Files.writeString(in, input);
      ProcessBuilder builder =
          new ProcessBuilder(words)
              .directory(directory.toFile())
              .redirectInput(in.toFile())
              .redirectOutput(out.toFile())
              .redirectError(err.toFile());
      builder.environment().putAll(environment);
      Process process = builder.start();
      boolean ended = process.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES);
      if (!ended) {
        process.destroyForcibly().waitFor();
      }
      Result result = new Result(Files.readString(out, UTF_8), Files.readString(err, UTF_8));
      assertThat(ended ? process.exitValue() : -1)
          .as("%s%n%s%n%s", String.join(" ", words), result.out(), result.err())
          .isZero();
      return result;
    } finally {
      for (Path file : List.of(in, out, err)) {
        Files.delete(file);
      }
    }
  }
}
