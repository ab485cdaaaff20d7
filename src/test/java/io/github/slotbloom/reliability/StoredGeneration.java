package io.github.slotbloom.reliability;

import static java.util.stream.Collectors.toSet;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.internal.bits.Probe;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/** The slots of one generation, and what the journal says of them. Immutable. */
final class StoredGeneration {

  /**
   * More are written in several transactions, and so are those of several generations; between two
   * of them the slots hold bits of entries that do not count as folded yet.
   */
  private static final long SLOTS_WRITTEN_AT_ONCE = 20_000;

  private final boolean answers;
  private final boolean writtenAtOnce;
  private final BloomParameters parameters;
  private final Probe probe;
  private final Map<Long, Long> slots;
  private final List<JournalRow> journal;
  private final Map<Long, Long> folded = new HashMap<>();
  private final Map<Long, Long> unfolded = new HashMap<>();

  /**
   * @param answers whether it is one that a key may be in
   * @param alone whether no other generation took keys of the same entries, ever
   * @param slots bits of each row
   * @param journal entries whose keys belong here
   * @param foldedSeq entries up to this one are in the slots
   */
  StoredGeneration(
      boolean answers,
      boolean alone,
      BloomParameters parameters,
      Map<Long, Long> slots,
      List<JournalRow> journal,
      long foldedSeq) {
    this.answers = answers;
    this.writtenAtOnce = alone && parameters.slots() <= SLOTS_WRITTEN_AT_ONCE;
    this.parameters = parameters;
    this.probe = Probe.of(parameters);
    this.slots = slots;
    this.journal = journal;
    for (JournalRow row : journal) {
      Map<Long, Long> bits = row.seq() <= foldedSeq ? folded : unfolded;
      for (long hash : row.hashes()) {
        probe.forEachMask(hash, (slot, mask) -> bits.merge(slot, mask, (a, b) -> a | b));
      }
    }
  }

  boolean answers() {
    return answers;
  }

  int rows() {
    return slots.size();
  }

  /** Whether a hash is in the slots and the entries that are not folded yet, taken together. */
  boolean contains(long hash) {
    return probe.isMember(
        hash, slot -> slots.getOrDefault(slot, 0L) | unfolded.getOrDefault(slot, 0L));
  }

  /** Which bits its keys set. That takes a while. */
  SharedBits sharedBits() {
    Set<Long> hashes =
        journal.stream().flatMapToLong(row -> LongStream.of(row.hashes())).boxed().collect(toSet());
    return new SharedBits(probe, hashes);
  }

  /**
   * Where the slots are not what the journal says, a sentence each.
   *
   * @param trimmed whether the journal may lack entries; then it cannot tell what is too much
   */
  List<String> wrongSlots(boolean trimmed) {
    List<String> wrong = new ArrayList<>();
    folded.forEach(
        (slot, bits) -> {
          long missing = bits & ~slots.getOrDefault(slot, 0L);
          if (missing != 0) {
            wrong.add("slot " + slot + " lacks the bits " + Long.toHexString(missing));
          }
        });
    if (!trimmed) {
      Map<Long, Long> early = writtenAtOnce ? Map.of() : unfolded;
      slots.forEach(
          (slot, bits) -> {
            long excess = bits & ~folded.getOrDefault(slot, 0L) & ~early.getOrDefault(slot, 0L);
            if (excess != 0) {
              wrong.add(
                  "slot "
                      + slot
                      + " has the bits "
                      + Long.toHexString(excess)
                      + " of no folded key");
            }
          });
    }
    return wrong;
  }

  /** Slots, or bits of the last one, that lie beyond m, a sentence each. */
  List<String> beyondTheLastBit() {
    long last = parameters.slots() - 1;
    long bitsInLast = parameters.bits() - last * Long.SIZE;
    List<String> found = new ArrayList<>();
    slots.forEach(
        (slot, bits) -> {
          boolean beyond =
              slot < 0
                  || slot > last
                  || (slot == last && bitsInLast < Long.SIZE && bits >>> bitsInLast != 0);
          if (beyond) {
            found.add("slot " + slot + " lies beyond the last of " + parameters.bits() + " bits");
          }
        });
    return found;
  }
}
