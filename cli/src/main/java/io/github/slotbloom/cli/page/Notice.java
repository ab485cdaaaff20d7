package io.github.slotbloom.cli.page;

import java.util.List;

/**
 * Something that the reader should know.
 *
 * @param title a sentence without its final period
 * @param text sentences
 * @param commands the commands that mend it or tell more
 */
record Notice(Level level, String title, String text, List<String> commands) {

  /** The levels of a notice, the most serious first. */
  enum Level {
    /** Bits were lost or changed. */
    DAMAGE("Damage"),
    /** The reader should act. */
    WARNING("Warning"),
    /** The reader may want to know. */
    NOTE("Note");

    private final String word;

    Level(String word) {
      this.word = word;
    }

    String word() {
      return word;
    }
  }
}
