package io.github.slotbloom.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Creates thread dumps of other JVMs. */
public final class ThreadDump {

  private static final long PATIENCE_SECONDS = 10;

  private ThreadDump() {}

  /**
   * Returns a thread dump. It gives up soon on a process that does not answer, such as a frozen
   * one.
   */
  public static String of(Process jvm) throws IOException, InterruptedException {
    // A file, because reading a pipe could wait forever.
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
