package io.github.slotbloom.cli.line;

import io.github.slotbloom.cli.CommandException;
import io.github.slotbloom.cli.terminal.Wording;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Writes a file in one step: readers see either the old content or all of the new. */
public final class WholeFile {

  private final Path file;
  private final Path folder;

  private WholeFile(Path file, Path folder) {
    this.file = file;
    this.folder = folder;
  }

  /**
   * @throws CommandException if the file cannot be created there
   */
  public static WholeFile at(Path file) {
    try {
      if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(file)) {
        throw failure(file, "it is not a regular file", null);
      }
      // The target of a link is replaced, not the link.
      Path real = Files.exists(file) ? file.toRealPath() : file.toAbsolutePath();
      Path folder = real.getParent();
      if (folder == null || !Files.isDirectory(folder)) {
        throw failure(file, "its directory does not exist", null);
      }
      return new WholeFile(real, folder);
    } catch (IOException e) {
      throw failure(file, Wording.reason(e), e);
    }
  }

  public void write(byte[] content) {
    // Others may read this file as the umask allows, unlike one of Java's temporary files.
    Path part = folder.resolve("." + file.getFileName() + "-" + UUID.randomUUID() + ".part");
    try {
      try {
        Files.write(part, content, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(part);
      }
    } catch (IOException e) {
      throw failure(file, Wording.reason(e), e);
    }
  }

  private static CommandException failure(Path file, String reason, @Nullable IOException cause) {
    return new CommandException(
        "Cannot write " + file + ": " + reason + ". Use another name, or - for standard output.",
        cause);
  }
}
