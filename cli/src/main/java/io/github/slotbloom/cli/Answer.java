package io.github.slotbloom.cli;

/** What became of one line. */
enum Answer {
  YES,
  NO,
  /** The line lacks the field that is the key. */
  WITHOUT_KEY
}
