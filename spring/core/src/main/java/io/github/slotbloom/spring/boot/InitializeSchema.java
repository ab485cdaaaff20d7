package io.github.slotbloom.spring.boot;

/** When the application creates the tables that all filters share. */
public enum InitializeSchema {
  /**
   * When it starts, and they are missing: with Flyway if that is on the class path, in a history
   * table of its own, and otherwise with a script.
   */
  ALWAYS,
  /** Never: an operator or another migration tool does, with the SQL of the library. */
  NEVER
}
