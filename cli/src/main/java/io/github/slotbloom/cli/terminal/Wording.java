package io.github.slotbloom.cli.terminal;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import org.jspecify.annotations.Nullable;

/** Makes text of others fit to be a part of a message. */
public final class Wording {

  private Wording() {}

  /** What a user or a file gave may be shown, but must not control the terminal. */
  public static String printable(String text) {
    return text.replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "?");
  }

  public static String oneLine(@Nullable String message) {
    return message == null ? "(no message)" : message.strip().replaceAll("\\s*\\R\\s*", " ");
  }

  /** What the system says went wrong with a file, without the name that the message has already. */
  public static String reason(IOException e) {
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    return e instanceof FileSystemException f && f.getReason() != null
        ? f.getReason()
        : oneLine(e.getMessage());
  }
}
