package io.github.slotbloom.testing;

import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Another JVM with the class path of this one, told what to do by lines. It should end when its
 * standard input does, so that none outlives the tests. Thread-safe.
 */
public final class JavaProcess implements AutoCloseable {

  private static final int MOST_OF_LOG = 4000;

  private final Process process;
  private final Path log;
  private final PrintStream stdin;
  private final Queue<String> said = new ConcurrentLinkedQueue<>();
  private final Thread reader;
  private volatile boolean killed;

  private JavaProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
    this.stdin = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    this.reader = new Thread(this::readAll, "reads process " + process.pid());
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * Starts a class's {@code main}. What it prints to standard error is appended to the log.
   *
   * @param environment what is not for the list of processes, such as a password
   */
  public static JavaProcess start(
      Class<?> main, Path log, Map<String, String> environment, List<String> arguments)
      throws IOException {
    return start(List.of(), main, log, environment, arguments);
  }

  /**
   * As {@link #start(Class, Path, Map, List)}.
   *
   * @param launcher a command that becomes the one that follows it
   */
  static JavaProcess start(
      List<String> launcher,
      Class<?> main,
      Path log,
      Map<String, String> environment,
      List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>(launcher);
    command.addAll(
        List.of(
            ProcessHandle.current().info().command().orElse("java"),
            // Starts soon, and leaves the two cores of a small machine to the work.
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx256m",
            "-Xshare:auto",
            // What the JVM warns of is no answer.
            "-Xlog:disable",
            "-Xlog:all=warning:stderr",
            "-Dorg.jooq.no-logo=true",
            "-Dorg.jooq.no-tips=true",
            "-Dslf4j.provider=org.slf4j.simple.SimpleServiceProvider",
            "-Dslf4j.internal.verbosity=WARN",
            "-cp",
            classPath(),
            main.getName()));
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().putAll(environment);
    return new JavaProcess(builder.start(), log);
  }

  /** Surefire may have put the real one into a property of its own. */
  private static String classPath() {
    String real = System.getProperty("surefire.test.class.path");
    return real == null ? System.getProperty("java.class.path") : real;
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Tells it something. */
  public void tell(String line) {
    stdin.println(line);
  }

  /** The lines that it said and that were not yet asked for. */
  public List<String> heard() {
    List<String> lines = new ArrayList<>();
    for (String line = said.poll(); line != null; line = said.poll()) {
      lines.add(line);
    }
    return lines;
  }

  /** The next line that it says; fails if it ends without one. */
  public String nextLine(Duration atMost) {
    await()
        .atMost(atMost)
        .pollInterval(Duration.ofMillis(5))
        .until(() -> !said.isEmpty() || !reader.isAlive());
    String line = said.poll();
    if (line == null) {
      throw new AssertionError("Process " + pid() + " ended without a word; its log:\n" + log());
    }
    return line;
  }

  /** Tells it something, and returns the line that it answers. */
  public String ask(String line, Duration atMost) {
    tell(line);
    return nextLine(atMost);
  }

  /** SIGKILL. */
  public void kill() throws InterruptedException {
    killed = true;
    process.destroyForcibly().waitFor();
  }

  /** SIGSTOP, and SIGCONT. */
  public void freeze(boolean frozen) throws IOException, InterruptedException {
    String signal = frozen ? "-STOP" : "-CONT";
    int code = new ProcessBuilder("kill", signal, Long.toString(pid())).start().waitFor();
    if (code != 0) {
      throw new IOException("kill " + signal + " ended with " + code);
    }
  }

  /** Closes its standard input: it should end. */
  public void closeInput() {
    stdin.close();
  }

  /** The code that it ended with. */
  public int exitValue() {
    return process.exitValue();
  }

  @Override
  public void close() {
    killed = true;
    process.destroyForcibly();
  }

  /** What its threads are doing. */
  public String threads() throws IOException, InterruptedException {
    return ThreadDump.of(process);
  }

  /** The end of what it and others wrote to the log. */
  public String log() {
    try {
      String text = Files.readString(log);
      return text.substring(Math.max(0, text.length() - MOST_OF_LOG));
    } catch (IOException e) {
      return e.toString();
    }
  }

  private void readAll() {
    try (BufferedReader lines = new BufferedReader(process.inputReader(StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        said.add(line);
      }
    } catch (IOException e) {
      // A process that is killed takes its end of the pipe with it.
      if (!killed) {
        said.add("unreadable: " + e.getMessage());
      }
    }
  }
}
