package io.github.slotbloom.reliability;

/** What is killed, at once and without a word. */
enum Kill {
  /** The process that was at work. */
  PROCESS,
  /** The database server, which is started again on its data. The client lives through it. */
  SERVER
}
