package io.github.slotbloom.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.slotbloom.cli.Slotbloom.Result;
import io.github.slotbloom.cli.terminal.Messages;
import io.github.slotbloom.cli.terminal.Terminal;
import io.github.slotbloom.testing.TestAccount;
import io.github.slotbloom.testing.TestSchema;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.awaitility.Awaitility;

/**
 * Runs commands as {@link Slotbloom} does, but within this process, which takes a tenth of the
 * time. Arguments come as Java strings, names of files are relative to where the tests run, and no
 * stream is a terminal.
 */
public final class InProcess {

  private final Map<String, String> environment = new HashMap<>();
  private final Clock clock;

  /**
   * @param home the user's
   */
  public InProcess(Path home) {
    clock = Clock.systemUTC();
    environment.put("HOME", home.toString());
    environment.put("XDG_CACHE_HOME", Installation.cache().toString());
  }

  private InProcess(Map<String, String> environment, Clock clock) {
    this.environment.putAll(environment);
    this.clock = clock;
  }

  public InProcess with(String variable, String value) {
    InProcess other = new InProcess(environment, clock);
    other.environment.put(variable, value);
    return other;
  }

  public InProcess at(Instant time) {
    return new InProcess(environment, Clock.fixed(time, ZoneOffset.UTC));
  }

  /** Points it at a database. */
  public InProcess on(TestSchema schema, TestAccount account) {
    return with("SLOTBLOOM_URL", schema.url())
        .with("SLOTBLOOM_USER", account.user())
        .with("SLOTBLOOM_PASSWORD", account.password());
  }

  /** Runs a command whose words have single spaces between them. */
  public Result run(String line) {
    return runOn("", line);
  }

  public Result run(String... arguments) {
    return runOn(new byte[0], arguments);
  }

  public Result runOn(String input, String line) {
    return runOn(input, line.split(" "));
  }

  public Result runOn(String input, String... arguments) {
    return runOn(input.getBytes(UTF_8), arguments);
  }

  /** Returns what a command prints. */
  public String out(String line) {
    return run(line).succeeded().out();
  }

  public String outOn(String input, String line) {
    return runOn(input, line).succeeded().out();
  }

  /** Returns the one line of error with which a command ends. */
  public String error(int code, String line) {
    return run(line).failed(code).err();
  }

  public String errorOn(int code, String input, String line) {
    return runOn(input, line).failed(code).err();
  }

  public Result runOn(byte[] input, String line) {
    return runOn(input, line.split(" "));
  }

  private Result runOn(byte[] input, String... arguments) {
    return runOn(new ByteArrayInputStream(input), new ByteArrayOutputStream(), arguments);
  }

  /** Starts a command with an input that is written as the test goes. */
  public Begun begin(String line) throws IOException {
    PipedOutputStream input = new PipedOutputStream();
    PipedInputStream read = new PipedInputStream(input);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    return new Begun(input, out, start(line, () -> runOn(read, out, line.split(" "))));
  }

  /** Starts a command beside others. */
  public CompletableFuture<Result> startOn(String input, String line) {
    return start(line, () -> runOn(input, line));
  }

  private static CompletableFuture<Result> start(String name, Supplier<Result> run) {
    return CompletableFuture.supplyAsync(run, task -> new Thread(task, name).start());
  }

  /** A command that runs. */
  public record Begun(
      OutputStream input, ByteArrayOutputStream out, CompletableFuture<Result> result) {

    /** Types lines, and waits until the command has printed a text and nothing else. */
    public void typeUntil(String printed, String text) throws IOException {
      input.write(text.getBytes(UTF_8));
      input.flush();
      Awaitility.await()
          .atMost(Duration.ofMinutes(5))
          .until(() -> out.toString(UTF_8).equals(printed));
    }

    /** Ends the input with a text. */
    public Result end(String text) throws Exception {
      input.write(text.getBytes(UTF_8));
      input.close();
      return result.get(5, TimeUnit.MINUTES);
    }
  }

  private Result runOn(InputStream input, ByteArrayOutputStream out, String... arguments) {
    Environment variables = new Environment(environment);
    Terminal none = new Terminal("", "", variables);
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Messages messages = new Messages(new PrintStream(err, true, UTF_8), none);
    int exitCode =
        Main.run(
            new Surroundings(input, out, messages, variables, none, clock),
            new Termination(),
            arguments);
    return new Result(exitCode, out.toByteArray(), err.toString(UTF_8));
  }
}
