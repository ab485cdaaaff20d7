package io.github.slotbloom.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.testing.TestAccount;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.ThreadDump;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.awaitility.Awaitility;

/** Runs the installed command line as a user would, in an environment of the test's own. */
public final class Slotbloom {

  private static final Path LAUNCHER = Installation.sharedLauncher();
  private static final int PATIENCE_SECONDS = 900;

  private final Path directory;
  private final Map<String, String> environment = new HashMap<>();

  /** Files of the runs go into the directory. */
  public Slotbloom(Path directory) {
    this.directory = directory;
    environment.put("PATH", System.getenv("PATH"));
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("HOME", directory.toString());
    environment.put("XDG_CACHE_HOME", Installation.cache().toString());
    environment.put("TZ", TimeZone.getDefault().getID());
  }

  public Slotbloom with(String variable, String value) {
    Slotbloom other = new Slotbloom(directory);
    other.environment.putAll(environment);
    other.environment.put(variable, value);
    return other;
  }

  /** Points it at a database. */
  public Slotbloom on(TestSchema schema, TestAccount account) {
    return on(schema.url(), account);
  }

  /** Points it at a database. */
  Slotbloom on(String url, TestAccount account) {
    return with("SLOTBLOOM_URL", url)
        .with("SLOTBLOOM_USER", account.user())
        .with("SLOTBLOOM_PASSWORD", account.password());
  }

  public Result run(String... arguments) throws IOException, InterruptedException {
    return runOn("", arguments);
  }

  public Result runOn(String input, String... arguments) throws IOException, InterruptedException {
    return runOn(input.getBytes(UTF_8), arguments);
  }

  public Result runOn(byte[] input, String... arguments) throws IOException, InterruptedException {
    Path file = Files.write(newFile("input"), input);
    return start(Redirect.from(file.toFile()), arguments).await();
  }

  public Running startOn(byte[] input, String... arguments) throws IOException {
    return start(Redirect.from(Files.write(newFile("input"), input).toFile()), arguments);
  }

  /** Starts with an input that is written as the test goes. */
  public Running startInteractive(String... arguments) throws IOException {
    return start(Redirect.PIPE, arguments);
  }

  /** Runs a line of shell, in which {@code $SLOTBLOOM} is the launcher. */
  public Result shell(String script) throws IOException, InterruptedException {
    return start(Redirect.from(newFile("input").toFile()), List.of("/bin/sh", "-c", script))
        .await();
  }

  /** Starts a line of shell with an input that is written as the test goes. */
  public Running startInteractiveShell(String script) throws IOException {
    return start(Redirect.PIPE, List.of("/bin/sh", "-c", script));
  }

  private Running start(Redirect input, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(LAUNCHER.toString()));
    command.addAll(List.of(arguments));
    return start(input, command);
  }

  private Running start(Redirect input, List<String> command) throws IOException {
    Path out = newFile("out");
    Path err = newFile("err");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectInput(input)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder.environment().put("SLOTBLOOM", LAUNCHER.toString());
    return new Running(builder.start(), out, err);
  }

  private Path newFile(String kind) throws IOException {
    return Files.createTempFile(directory, "run", "." + kind);
  }

  /** A run that has begun. */
  public record Running(Process process, Path out, Path err) {

    Result await() throws IOException, InterruptedException {
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        // The launcher becomes the Java process, so that the number fits.
        String stacks = ThreadDump.of(process);
        process.destroyForcibly();
        throw new AssertionError("Did not end: " + Files.readString(err) + stacks);
      }
      return new Result(process.exitValue(), Files.readAllBytes(out), Files.readString(err));
    }

    /** Waits until it has printed a text, and nothing else. */
    public void awaitOutput(String text) {
      awaitOutput(text::equals);
    }

    /** Waits until what it has printed is as expected. */
    public void awaitOutput(Predicate<String> expected) {
      Awaitility.await()
          .atMost(Duration.ofSeconds(PATIENCE_SECONDS))
          .until(() -> expected.test(Files.readString(out)));
    }

    public void type(String text) throws IOException {
      process.getOutputStream().write(text.getBytes(UTF_8));
      process.getOutputStream().flush();
    }
  }

  /** What a run left. */
  public static final class Result {

    private final int exitCode;
    private final byte[] out;
    private final String err;

    public Result(int exitCode, byte[] out, String err) {
      this.exitCode = exitCode;
      this.out = out;
      this.err = err;
    }

    public int exitCode() {
      return exitCode;
    }

    public byte[] bytes() {
      return out;
    }

    public String out() {
      return new String(out, UTF_8);
    }

    public String err() {
      return err;
    }

    public Result succeeded() {
      return ended(0);
    }

    public Result ended(int code) {
      assertThat(exitCode).as(err).isEqualTo(code);
      return this;
    }

    /** Checks the promise of every error: one line on standard error, and nothing on the other. */
    public Result failed(int code) {
      ended(code);
      assertThat(err.lines()).hasSize(1);
      assertThat(err).startsWith("slotbloom: ");
      assertThat(out).isEmpty();
      return this;
    }
  }
}
