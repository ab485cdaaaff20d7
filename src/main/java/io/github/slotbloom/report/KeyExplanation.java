package io.github.slotbloom.report;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why a key is a member of a filter, or why not.
 *
 * @param filter name of the filter
 * @param hash of the key
 * @param lastSequence number of the newest journal entry
 * @param foldedSequence number of the newest entry whose bits have to be in the slots
 * @param generations where its bits lie, in each generation, oldest first
 * @param unfolded the entries that are not folded yet and hold its hash
 * @param retained whether its hash is among those that left the journal; null if the filter retains
 *     none
 */
public record KeyExplanation(
    String filter,
    long hash,
    long lastSequence,
    long foldedSequence,
    List<InGeneration> generations,
    List<Entry> unfolded,
    @Nullable Boolean retained) {

  /** {@return whether a generation that answers has all bits of the key} */
  public boolean isMember() {
    return generations.stream().anyMatch(g -> g.answers() && g.hasAll());
  }

  /**
   * The bits of a key in one generation.
   *
   * @param generation its number
   * @param answers whether a key may be in it; otherwise it is being filled, to replace those that
   *     do
   * @param slotTable its slot table
   * @param probes in the order of the probes
   */
  public record InGeneration(
      int generation, boolean answers, String slotTable, List<Probed> probes) {

    /** {@return whether all of them are set, in the slots or by the journal} */
    public boolean hasAll() {
      return probes.stream().allMatch(probe -> probe.inSlots() || probe.inJournal());
    }
  }

  /**
   * One bit of a key.
   *
   * @param position in the bit array, from 0
   * @param slot that it lies in: position / 64
   * @param bit of the slot, 0 the least significant
   * @param inSlots whether it is set in the slot table
   * @param inJournal whether an entry sets it that is not folded yet
   */
  public record Probed(long position, long slot, int bit, boolean inSlots, boolean inJournal) {}

  /**
   * An entry of the journal.
   *
   * @param seq its number
   * @param kind {@code add}, {@code fill} or {@code seen}
   */
  public record Entry(long seq, String kind) {}
}
