package io.github.slotbloom.testing;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The right to run several servers that depend on each other. One test of the machine has it at a
 * time: servers that get too little of the processor are taken for failed by the others.
 */
final class SeveralServers implements AutoCloseable {

  private static final Path LOCK =
      Path.of(System.getProperty("java.io.tmpdir"), "slotbloom-several-servers.lock");

  private final FileChannel file;

  private SeveralServers(FileChannel file) {
    this.file = file;
  }

  /** Waits until no other test has it. */
  static SeveralServers alone() throws IOException {
    FileChannel file = FileChannel.open(LOCK, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      // Closing the file ends the lock.
      file.lock();
      return new SeveralServers(file);
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
