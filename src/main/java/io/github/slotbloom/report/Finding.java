package io.github.slotbloom.report;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A difference between the stored and the expected state of a filter.
 *
 * @param severity the severity
 * @param kind the kind of the finding
 * @param table the table that is affected; null if it is no single table
 * @param generation number of the generation that is affected; null if none is
 * @param slot number of the slot that is affected, unsigned; null if none is
 * @param seq number of the journal entry that is affected; null if none is
 * @param found the actual state
 * @param expected the expected state
 * @param remedy the action to take
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

  /** {@return the table, slot and journal entry that are affected, as far as they are known} */
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
   * {@return the actual state, the expected state and the remedy, worded to continue a sentence}
   */
  public String inWords() {
    return "found " + withoutEnd(found) + "; expected " + withoutEnd(expected) + ". " + remedy;
  }

  private static String withoutEnd(String sentence) {
    return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
  }

  /** The severity of a finding. */
  public enum Severity {
    /** An observation. The filter may well be sound. */
    REMARK,
    /**
     * Something was lost or changed, so answers are or may be wrong, or the false positive rate is
     * far above the target of the filter.
     */
    DAMAGE
  }

  /** The kind of a finding. */
  public enum Kind {
    /** A value in the catalog that cannot be right. */
    PARAMETERS,
    /** A slot table that is missing, has other columns, or holds rows before it is in use. */
    SLOT_TABLE,
    /** Rows beyond the last slot, or bits beyond the last bit. */
    BEYOND_END,
    /** An entry that is missing in the journal. */
    ENTRY_MISSING,
    /** An entry that cannot be read. */
    ENTRY_DAMAGED,
    /**
     * An entry that does not continue the one before, or a last entry that is not the one in the
     * catalog.
     */
    CHAIN_BROKEN,
    /** A slot without bits that an entry or a retained hash requires. */
    BITS_MISSING,
    /**
     * A recorded hash that no generation holds, if it is unknown which generation should hold it.
     */
    HASH_MISSING,
    /** Retained hashes that are damaged or incomplete. */
    RETAINED_HASHES,
    /** A removed hash that is not recorded as removed, or one that is though it should not be. */
    REMOVED_KEYS,
    /** More bits, or fewer, than the keys that were added can have set. */
    FILL,
    /** A given key that is not a member. If keys expire, it may have expired. */
    KEY_MISSING,
    /** A given key that is not a member because it was removed. */
    KEY_REMOVED,
    /** Bits that cause a false positive rate above the target. */
    FALSE_POSITIVE_RATE
  }
}
