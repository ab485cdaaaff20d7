package io.github.slotbloom.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.slotbloom.cli.Slotbloom.Result;
import io.github.slotbloom.cli.terminal.Messages;
import io.github.slotbloom.cli.terminal.Terminal;
import io.github.slotbloom.testing.TestAccount;
import io.github.slotbloom.testing.TestSchema;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;

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
    environment.put("XDG_CACHE_HOME", Slotbloom.cache().toString());
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

  public Result run(String... arguments) {
    return runOn("", arguments);
  }

  public Result runOn(String input, String... arguments) {
    return runOn(input.getBytes(UTF_8), arguments);
  }

  public Result runOn(byte[] input, String... arguments) {
    Environment variables = new Environment(environment);
    Terminal none = new Terminal("", "", variables);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Messages messages = new Messages(new PrintStream(err, true, UTF_8), none);
    int exitCode =
        Main.run(
            new Surroundings(
                new ByteArrayInputStream(input), out, messages, variables, none, clock),
            new Termination(),
            arguments);
    return new Result(exitCode, out.toByteArray(), err.toString(UTF_8));
  }
}
