package io.github.slotbloom.testing;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports of servers that end and start again. A socket cannot keep one for them, and the system
 * gives none of these to clients.
 */
final class ReservedPort {

  private static final int FIRST = 20_000;
  private static final int END = 32_000;

  /** The byte of its number is locked as long as the process that chose the port lives. */
  private static final FileChannel RESERVED = open();

  private ReservedPort() {}

  private static FileChannel open() {
    try {
      return FileChannel.open(
          Path.of(System.getProperty("java.io.tmpdir"), "slotbloom-test-ports"),
          StandardOpenOption.CREATE,
          StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns a port that no other test of this machine chooses while this process lives. */
  static int next() throws IOException {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, END);
      if (isReserved(port) && isFree(port)) {
        return port;
      }
    }
  }

  private static boolean isReserved(int port) throws IOException {
    try {
      return RESERVED.tryLock(port, 1, false) != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  private static boolean isFree(int port) throws IOException {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (BindException e) {
      return false;
    }
  }
}
