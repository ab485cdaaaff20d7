package io.github.slotbloom.internal.transfer;

import io.github.slotbloom.error.SlotBloomException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Writes a temporary file. A failure is no {@link IOException}, so that it is not mistaken for one
 * of the stream whose content is written. Not thread-safe.
 */
final class TemporaryFile extends OutputStream {

  private final Path file;
  private final OutputStream out;

  TemporaryFile(Path file) {
    this.file = file;
    try {
      out = Files.newOutputStream(file);
    } catch (IOException e) {
      throw failure(file.getParent(), e);
    }
  }

  static Path create() {
    try {
      return Files.createTempFile("slotbloom-", ".part");
    } catch (IOException e) {
      throw failure(Path.of(System.getProperty("java.io.tmpdir")), e);
    }
  }

  @Override
  public void write(int value) {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int from, int length) {
    try {
      out.write(bytes, from, length);
    } catch (IOException e) {
      throw failure(file.getParent(), e);
    }
  }

  @Override
  public void close() throws IOException {
    out.close();
  }

  private static SlotBloomException failure(@Nullable Path directory, IOException cause) {
    return new SlotBloomException(
        "Cannot write a temporary file in "
            + directory
            + ": "
            + reason(cause)
            + ". Free space there, or choose another directory with -Djava.io.tmpdir.",
        cause);
  }

  private static @Nullable String reason(IOException e) {
    if (e instanceof NoSuchFileException) {
      return "there is no such directory";
    }
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    return e instanceof FileSystemException f && f.getReason() != null
        ? f.getReason()
        : e.getMessage();
  }
}
