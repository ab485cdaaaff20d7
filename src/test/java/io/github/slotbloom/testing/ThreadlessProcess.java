package io.github.slotbloom.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A JVM that can be prevented from starting threads. The kernel then refuses each thread, as it
 * does when a process limit is reached. The limit applies to this process alone. Linux only.
 */
public final class ThreadlessProcess implements AutoCloseable {

  /** An account that nobody uses. It is needed because the kernel does not limit root. */
  private static final String NOBODY = "61234";

  private static final List<String> AS_NOBODY =
      List.of("setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups");

  /** Lets the process read the class path, wherever that is. */
  private static final List<String> READING_ALL =
      List.of("--inh-caps", "-all,+dac_override", "--ambient-caps", "-all,+dac_override");

  private final boolean root;
  private final JavaProcess process;

  private ThreadlessProcess(boolean root, JavaProcess process) {
    this.root = root;
    this.process = process;
  }

  /**
   * Works like {@link JavaProcess#start}. The process may start threads until that is forbidden.
   */
  public static ThreadlessProcess start(Class<?> main, Path log, Map<String, String> environment)
      throws IOException {
    boolean root = Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    List<String> launcher = new ArrayList<>();
    if (root) {
      launcher.addAll(AS_NOBODY);
      launcher.addAll(READING_ALL);
    }
    return new ThreadlessProcess(
        root, JavaProcess.start(launcher, main, log, environment, List.of()));
  }

  public JavaProcess process() {
    return process;
  }

  /** Allows new threads if true, and forbids them if false. */
  public void allowThreads(boolean allowed) throws IOException, InterruptedException {
    String most =
        allowed ? limit("--nproc", "--output=HARD", "--noheadings", "--raw").strip() : "1";
    limit("--nproc=" + most + ":");
  }

  /** Runs prlimit on the process with the account of the process. */
  private String limit(String... options) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(root ? AS_NOBODY : List.of());
    command.addAll(List.of("prlimit", "--pid", Long.toString(process.pid())));
    command.addAll(List.of(options));
    Process prlimit = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(prlimit.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!prlimit.waitFor(60, TimeUnit.SECONDS) || prlimit.exitValue() != 0) {
      throw new IOException(String.join(" ", command) + " said: " + said);
    }
    return said;
  }

  @Override
  public void close() {
    process.close();
  }
}
