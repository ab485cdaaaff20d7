package io.github.slotbloom.cli.line;

/** What became of one line. */
public enum Answer {
  YES,
  NO,
  /** The line lacks the field that is the key. */
  WITHOUT_KEY
}
