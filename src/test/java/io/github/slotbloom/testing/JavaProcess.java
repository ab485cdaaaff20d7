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
 * Another JVM with the class path of this one. The test controls it with lines of text. Its program
 * should end when standard input ends, so that it does not outlive the tests. Thread-safe.
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
   * Starts the {@code main} method of a class. Its standard error is appended to the log.
   *
   * @param environment variables that must not be in the list of processes, such as a password
   */
  public static JavaProcess start(
      Class<?> main, Path log, Map<String, String> environment, List<String> arguments)
      throws IOException {
    return start(List.of(), main, log, environment, arguments);
  }

  /**
   * Works like {@link #start(Class, Path, Map, List)}.
   *
   * @param launcher a command that replaces itself with the command that follows it
   */
  static JavaProcess start(
      List<String> launcher,
      Class<?> main,
      Path log,
      Map<String, String> environment,
      List<String> arguments)
      throws IOException {
    ClassArchive.User classes = ClassArchive.ofThisClassPath().newUser();
    List<String> command = new ArrayList<>(launcher);
    command.addAll(
        List.of(
            java(),
            // This starts fast, and leaves the two cores of a small machine to the work.
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx256m",
            "-Xshare:auto",
            // Warnings of the JVM must not look like answers.
            "-Xlog:disable",
            "-Xlog:all=warning:stderr",
            "-Dslf4j.provider=org.slf4j.simple.SimpleServiceProvider",
            "-Dslf4j.internal.verbosity=WARN"));
    command.addAll(classes.options());
    command.add(main.getName());
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().putAll(environment);
    Process process = builder.start();
    classes.started(process);
    return new JavaProcess(process, log);
  }

  /** Returns the program that runs this JVM. */
  static String java() {
    return ProcessHandle.current().info().command().orElse("java");
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Sends a line to the process. */
  public void tell(String line) {
    stdin.println(line);
  }

  /** Returns the lines that the process printed and that were not returned before. */
  public List<String> heard() {
    List<String> lines = new ArrayList<>();
    for (String line = said.poll(); line != null; line = said.poll()) {
      lines.add(line);
    }
    return lines;
  }

  /** Returns the next line of the process. Fails if the process ends without one. */
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

  /** Sends a line and returns the answer. */
  public String ask(String line, Duration atMost) {
    tell(line);
    return nextLine(atMost);
  }

  /** Kills the process with SIGKILL. */
  public void kill() throws InterruptedException {
    killed = true;
    process.destroyForcibly().waitFor();
  }

  /** Sends SIGSTOP if true, and SIGCONT if false. */
  public void freeze(boolean frozen) throws IOException, InterruptedException {
    String signal = frozen ? "-STOP" : "-CONT";
    int code = new ProcessBuilder("kill", signal, Long.toString(pid())).start().waitFor();
    if (code != 0) {
      throw new IOException("kill " + signal + " ended with " + code);
    }
  }

  /** Closes the standard input of the process, which should then end. */
  public void closeInput() {
    stdin.close();
  }

  /** Returns the exit code of the process. */
  public int exitValue() {
    return process.exitValue();
  }

  @Override
  public void close() {
    killed = true;
    process.destroyForcibly();
  }

  /** Returns a dump of the process's threads. */
  public String threads() throws IOException, InterruptedException {
    return ThreadDump.of(process);
  }

  /** Returns the end of the log, which other processes may share. */
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
      // A killed process closes its end of the pipe.
      if (!killed) {
        said.add("unreadable: " + e.getMessage());
      }
    }
  }
}
