package io.github.slotbloom.cli.terminal;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;

/** Makes text from other sources fit into a message. */
public final class Wording {

  private Wording() {}

  /**
   * Returns text that is safe to print. Text from a user or a file must not control the terminal.
   */
  public static String printable(String text) {
    return text.replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "?");
  }

  public static String oneLine(@Nullable String message) {
    return message == null ? "(no message)" : message.strip().replaceAll("\\s*\\R\\s*", " ");
  }

  /**
   * Returns the system's reason for a file error, without the name that the message already has.
   */
  public static String reason(IOException e) {
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (e instanceof FileSystemException f && f.getReason() != null) {
      return f.getReason();
    }
    return e instanceof NoSuchFileException ? "there is no such file" : oneLine(e.getMessage());
  }
}
