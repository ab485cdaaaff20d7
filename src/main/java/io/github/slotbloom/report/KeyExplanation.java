package io.github.slotbloom.report;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An explanation why a key is or is not a member of a filter.
 *
 * @param filter name of the filter
 * @param hash hash of the key
 * @param lastSequence number of the newest journal entry
 * @param foldedSequence number of the newest entry whose bits have to be in the slots
 * @param generations the bits of the key in each generation, oldest first
 * @param unfolded the entries that are not folded yet and hold its hash
 * @param retained true if its hash is among the retained hashes that left the journal; null if the
 *     filter retains no hashes
 * @param removedBy number of the journal entry that removed the key; null if it is not removed
 */
public record KeyExplanation(
    String filter,
    long hash,
    long lastSequence,
    long foldedSequence,
    List<InGeneration> generations,
    List<Entry> unfolded,
    @Nullable Boolean retained,
    @Nullable Long removedBy) {

  /**
   * {@return true if an active generation has all bits of the key, and the key is neither removed
   * nor expired}
   */
  public boolean isMember() {
    return removedBy == null && generations.stream().anyMatch(InGeneration::makesMember);
  }

  /**
   * {@return true if the key is no member because it has expired: only generations of buckets that
   * expired have all its bits}
   */
  public boolean isExpired() {
    return generations.stream().noneMatch(InGeneration::makesMember)
        && generations.stream().anyMatch(g -> g.active() && g.hasAll());
  }

  /**
   * The bits of a key in one generation.
   *
   * @param generation number of the generation
   * @param active false if the generation is still being filled, to replace the active ones
   * @param slotTable its slot table
   * @param probes the bits of the key, in the order of the probes
   * @param expired true if its bucket expired, by the database clock
   */
  public record InGeneration(
      int generation, boolean active, String slotTable, List<Probed> probes, boolean expired) {

    /** {@return true if all bits are set, in the slots or by the journal} */
    public boolean hasAll() {
      return probes.stream().allMatch(probe -> probe.inSlots() || probe.inJournal());
    }

    /** {@return true if all bits are set, and lookups look into the generation} */
    public boolean makesMember() {
      return active && !expired && hasAll();
    }
  }

  /**
   * One bit of a key.
   *
   * @param position position in the bit array, from 0
   * @param slot number of its slot: position / 64
   * @param bit number of the bit in the slot; 0 is the least significant
   * @param inSlots true if the bit is set in the slot table
   * @param inJournal true if an entry that is not folded yet sets the bit
   */
  public record Probed(long position, long slot, int bit, boolean inSlots, boolean inJournal) {}

  /**
   * An entry of the journal.
   *
   * @param seq number of the entry
   * @param kind {@code add}, {@code remove}, {@code return}, {@code renew}, {@code fill} or {@code
   *     seen}
   */
  public record Entry(long seq, String kind) {}
}
