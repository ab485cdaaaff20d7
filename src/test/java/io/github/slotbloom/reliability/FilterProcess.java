package io.github.slotbloom.reliability;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.testing.JavaProcess;
import io.github.slotbloom.testing.TestAccount;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * {@link FilterCommands} in a process of its own: a line of standard input each, and a line of
 * standard output for its answer. Says "ready" first, and ends when its standard input does.
 */
final class FilterProcess {

  private static final String URL = "SLOTBLOOM_TEST_URL";
  private static final String USER = "SLOTBLOOM_TEST_USER";
  private static final String PASSWORD = "SLOTBLOOM_TEST_PASSWORD";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private FilterProcess() {}

  /** Starts one, which need not be ready yet. */
  static JavaProcess start(String url, TestAccount account, Path log) throws IOException {
    return JavaProcess.start(
        FilterProcess.class,
        log,
        Map.of(URL, url, USER, account.user(), PASSWORD, account.password()),
        List.of());
  }

  /** Waits until it is ready. */
  static void awaitReady(JavaProcess process) {
    expect("ready", process.nextLine(PATIENCE));
  }

  /** Tells it something that must be answered so. */
  static void expect(JavaProcess process, String line, String answer) {
    expect(answer, process.ask(line, PATIENCE));
  }

  private static void expect(String expected, String said) {
    if (!said.equals(expected)) {
      throw new AssertionError("Not \"" + expected + "\" but \"" + said + "\"");
    }
  }

  public static void main(String[] args) throws IOException {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(System.getenv(URL));
    config.setUsername(System.getenv(USER));
    config.setPassword(System.getenv(PASSWORD));
    config.setMaximumPoolSize(4);
    try (HikariDataSource pool = new HikariDataSource(config);
        FilterCommands commands = new FilterCommands(pool);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      System.out.println("ready");
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        System.out.println(commands.answer(line));
      }
    }
  }
}
