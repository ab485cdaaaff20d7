package io.github.slotbloom.cli.line;

/** The result for one line. */
public enum Answer {
  YES,
  NO,
  /** The line lacks the field that is the key. */
  WITHOUT_KEY
}
