package io.github.slotbloom.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** What the threads of another JVM are doing. */
public final class ThreadDump {

  private static final long PATIENCE_SECONDS = 10;

  private ThreadDump() {}

  /** Does not wait long for a process that does not answer, as one that is frozen. */
  public static String of(Process jvm) throws IOException, InterruptedException {
    // Not a pipe: reading it could wait for good.
    Path stacks = Files.createTempFile("stacks", ".txt");
    String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    Process dump =
        new ProcessBuilder(jcmd, Long.toString(jvm.pid()), "Thread.print")
            .redirectErrorStream(true)
            .redirectOutput(stacks.toFile())
            .start();
    if (!dump.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      dump.destroyForcibly();
    }
    return Files.readString(stacks);
  }
}
