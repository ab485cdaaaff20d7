package io.github.slotbloom.report;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Something that is not as it should be.
 *
 * @param severity how bad it is
 * @param kind what it is
 * @param table where it is; null where it is in no single table
 * @param generation number of the generation that it is about, null if it is about none
 * @param slot number of the slot that it is about, unsigned; null if it is about none
 * @param seq number of the journal entry that it is about, null if it is about none
 * @param found what is there
 * @param expected what should be
 * @param remedy what to do
 */
public record Finding(
    Severity severity,
    Kind kind,
    @Nullable String table,
    @Nullable Integer generation,
    @Nullable Long slot,
    @Nullable Long seq,
    String found,
    String expected,
    String remedy) {

  /** {@return the table, slot and journal entry that it is about, as far as it is about any} */
  public String where() {
    List<String> where = new ArrayList<>();
    if (table != null) {
      where.add(table);
    }
    if (slot != null) {
      where.add("slot " + Long.toUnsignedString(slot));
    }
    if (seq != null) {
      where.add("entry " + seq);
    }
    return String.join(", ", where);
  }

  /**
   * {@return what was found, what was expected and what to do; begins in the middle of a sentence}
   */
  public String inWords() {
    return "found " + withoutEnd(found) + "; expected " + withoutEnd(expected) + ". " + remedy;
  }

  private static String withoutEnd(String sentence) {
    return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
  }

  /** How bad a finding is. */
  public enum Severity {
    /** Worth knowing. The filter may well be sound. */
    REMARK,
    /**
     * Something was lost or changed, so that answers are wrong or may be; or they are wrong far
     * more often than the filter was made for.
     */
    DAMAGE
  }

  /** What a finding is. */
  public enum Kind {
    /** A value in the catalog that cannot be right. */
    PARAMETERS,
    /** A slot table that is missing, or has other columns. */
    SLOT_TABLE,
    /** Rows beyond the last slot, or bits beyond the last bit. */
    BEYOND_END,
    /** An entry that the journal should hold and does not. */
    ENTRY_MISSING,
    /** An entry that cannot be read. */
    ENTRY_DAMAGED,
    /** An entry that does not continue the one before, or not end where the catalog says. */
    CHAIN_BROKEN,
    /** A slot that lacks bits which an entry or a retained hash says were set. */
    BITS_MISSING,
    /** A recorded hash that no generation holds, where it is not known which one should. */
    HASH_MISSING,
    /** Retained hashes that are damaged or incomplete. */
    RETAINED_HASHES,
    /** A number of keys that contradicts what is recorded. */
    KEY_COUNT,
    /** More bits, or fewer, than the keys that were added can have set. */
    FILL,
    /** A given key that is not a member. */
    KEY_MISSING,
    /**
     * Keys that nobody added are taken for members more often, or less, than the bits explain; or
     * the bits make that happen more often than the target.
     */
    ERROR_RATE
  }
}
