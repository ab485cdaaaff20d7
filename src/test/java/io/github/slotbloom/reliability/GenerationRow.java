package io.github.slotbloom.reliability;

import java.util.Map;

/**
 * A generation, as a manifest has it.
 *
 * @param since number of the entry that began it
 * @param token of that entry
 * @param cutover number of the entry with which it replaced others; 0 if it has not
 * @param bucket of a window; 0 if it has none
 */
record GenerationRow(
    int number,
    boolean answers,
    long since,
    long token,
    long bits,
    int hashes,
    long cutover,
    long bucket) {

  static GenerationRow of(Map<String, String> fields) {
    return new GenerationRow(
        Integer.parseInt(fields.get("generation")),
        fields.get("state").equals("ACTIVE"),
        Long.parseLong(fields.get("since")),
        Long.parseLong(fields.get("token")),
        Long.parseLong(fields.get("bits")),
        Integer.parseInt(fields.get("hashes")),
        Long.parseLong(fields.getOrDefault("cutover", "0")),
        Long.parseLong(fields.getOrDefault("bucket", "0")));
  }

  /** Whether it is the same one, at this time or another. */
  boolean isSameAs(GenerationRow other) {
    return number == other.number
        && token == other.token
        && since == other.since
        && bits == other.bits
        && hashes == other.hashes;
  }

  /** Whether it is the one that began with an entry. */
  boolean beganWith(long seq, long itsToken) {
    return since == seq && token == itsToken;
  }
}
