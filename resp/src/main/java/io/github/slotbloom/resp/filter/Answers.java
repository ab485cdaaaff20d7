package io.github.slotbloom.resp.filter;

/**
 * What became of the keys of one command.
 *
 * @param each one answer for each key, from the first one on
 * @param full true if the filter had no room for the key after these, so that the rest was left
 */
@SuppressWarnings("ArrayRecordComponent") // read once, and never compared
public record Answers(boolean[] each, boolean full) {

  /** Returns answers to all keys. */
  static Answers all(boolean[] each) {
    return new Answers(each, false);
  }
}
