package io.github.slotbloom.internal.verify;

import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.internal.bits.SlotReader;
import io.github.slotbloom.internal.store.catalog.GenerationRecord;
import io.github.slotbloom.internal.store.catalog.GenerationSet;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Looks recorded hashes up in the slots, many at a time. What seems to be missing is looked for
 * once more in the table as it is now: the hashes were folded before they were read, and bits are
 * never taken away within an epoch, so what is missing then is lost. Not thread-safe.
 */
final class HashLookup {

  private static final int BATCH = 1 << 14;

  /** Hashes that are remembered so that they can be written again; 16 MiB. */
  static final int MOST_LOST = 1 << 20;

  /** Slots that are remembered by number. */
  private static final int MOST_SLOTS = 1 << 16;

  private final GenerationSet set;
  private final StoredBits stored;
  private final List<Probe> probes;
  private final List<HashBatch> required = new ArrayList<>();
  private final List<HashBatch> lost = new ArrayList<>();
  private final List<SortedMap<Long, SlotLoss>> losses = new ArrayList<>();
  private final List<ChanceFit> fits = new ArrayList<>();
  private final HashBatch requiredAnywhere = new HashBatch(BATCH);
  private final HashBatch replaced = new HashBatch(BATCH);
  private final HashBatch lostAnywhere = new HashBatch(MOST_LOST);
  private long unremembered;
  private final HashBatch forgotten = new HashBatch(MOST_LOST);
  private long alsoForgotten;
  private long looked;

  HashLookup(GenerationSet set, StoredBits stored) {
    this.set = set;
    this.stored = stored;
    probes = set.all().stream().map(GenerationRecord::parameters).map(Probe::of).toList();
    for (int place = 0; place < probes.size(); place++) {
      required.add(new HashBatch(BATCH));
      lost.add(new HashBatch(MOST_LOST));
      losses.add(new TreeMap<>());
      fits.add(new ChanceFit());
    }
  }

  /** Looks up hashes that must be in the generation in that place. */
  void require(int place, long[] hashes, long seq) {
    HashBatch batch = required.get(place);
    for (long hash : hashes) {
      batch.add(hash, seq);
      if (batch.isFull()) {
        look(place, batch);
      }
    }
  }

  /** Looks up hashes that must be in a generation that answers. */
  void requireAnywhere(long[] hashes, long seq) {
    if (set.read().size() == 1) {
      require(0, hashes, seq);
      return;
    }
    for (long hash : hashes) {
      requiredAnywhere.add(hash, seq);
      if (requiredAnywhere.isFull()) {
        lookAnywhere();
      }
    }
  }

  /** Looks up hashes from before a replacement, which may have been made to forget them. */
  void mayBeForgotten(long[] hashes, long seq) {
    for (long hash : hashes) {
      replaced.add(hash, seq);
      if (replaced.isFull()) {
        lookForReplaced();
      }
    }
  }

  /** Looks up the hashes that still wait in a batch. */
  void finish() {
    for (int place = 0; place < required.size(); place++) {
      look(place, required.get(place));
    }
    lookAnywhere();
    lookForReplaced();
  }

  private void look(int place, HashBatch batch) {
    looked += batch.size();
    fits.get(place).looked(batch.size());
    long[] hashes = batch.hashes();
    SlotReader bits = stored.of(place, hashes);
    HashBatch missing = new HashBatch(BATCH);
    for (int i = 0; i < hashes.length; i++) {
      if (!probes.get(place).isMember(hashes[i], bits)) {
        missing.add(hashes[i], batch.seq(i));
      }
    }
    batch.clear();
    if (missing.size() > 0) {
      lookAgain(place, missing);
    }
  }

  private void lookAgain(int place, HashBatch missing) {
    long[] hashes = missing.hashes();
    SlotReader bits = stored.now(place, hashes);
    for (int i = 0; i < hashes.length; i++) {
      if (!probes.get(place).isMember(hashes[i], bits)) {
        remember(lost.get(place), hashes[i], missing.seq(i));
        note(place, hashes[i], missing.seq(i), bits);
        fits.get(place).lost(probes.get(place), hashes[i], bits);
      }
    }
  }

  private void note(int place, long hash, long seq, SlotReader bits) {
    SortedMap<Long, SlotLoss> slots = losses.get(place);
    // With the standard layout a slot may come more than once.
    SortedMap<Long, SlotLoss> ofKey = new TreeMap<>();
    probes
        .get(place)
        .forEachMask(
            hash,
            (slot, mask) -> {
              long lacking = mask & ~bits.bits(slot);
              if (lacking != 0) {
                ofKey.merge(
                    slot,
                    new SlotLoss(lacking, 1, seq),
                    (a, b) -> new SlotLoss(a.bits() | b.bits(), 1, seq));
              }
            });
    ofKey.forEach(
        (slot, loss) -> {
          if (slots.size() < MOST_SLOTS || slots.containsKey(slot)) {
            slots.merge(slot, loss, SlotLoss::and);
          }
        });
  }

  private void remember(HashBatch batch, long hash, long seq) {
    if (batch.isFull()) {
      unremembered++;
    } else {
      batch.add(hash, seq);
    }
  }

  private void lookAnywhere() {
    looked += requiredAnywhere.size();
    HashBatch missing = notInAny(requiredAnywhere, stored::of);
    requiredAnywhere.clear();
    HashBatch lostNow = notInAny(missing, stored::now);
    for (int i = 0; i < lostNow.size(); i++) {
      remember(lostAnywhere, lostNow.hash(i), lostNow.seq(i));
    }
  }

  private void lookForReplaced() {
    looked += replaced.size();
    HashBatch missing = notInAny(notInAny(replaced, stored::of), stored::now);
    for (int i = 0; i < missing.size(); i++) {
      if (forgotten.isFull()) {
        alsoForgotten++;
      } else {
        forgotten.add(missing.hash(i), missing.seq(i));
      }
    }
    replaced.clear();
  }

  private HashBatch notInAny(HashBatch batch, Bits bits) {
    HashBatch missing = new HashBatch(BATCH);
    if (batch.size() == 0) {
      return missing;
    }
    long[] hashes = batch.hashes();
    boolean[] members = new boolean[hashes.length];
    for (int place = 0; place < set.read().size(); place++) {
      probes.get(place).markMembers(hashes, 0, hashes.length, bits.of(place, hashes), members);
    }
    for (int i = 0; i < hashes.length; i++) {
      if (!members[i]) {
        missing.add(hashes[i], batch.seq(i));
      }
    }
    return missing;
  }

  /**
   * Those of the hashes which are in no generation, and would be in none either if the slots had
   * the bits that they are known to lack.
   */
  HashBatch unexplained() {
    HashBatch unexplained = new HashBatch(MOST_LOST);
    HashBatch part = new HashBatch(BATCH);
    long[] hashes = lostAnywhere.hashes();
    for (int i = 0; i < hashes.length; i++) {
      part.add(hashes[i], lostAnywhere.seq(i));
      if (part.isFull() || i == hashes.length - 1) {
        HashBatch left = notInAny(part, this::mended);
        for (int k = 0; k < left.size(); k++) {
          unexplained.add(left.hash(k), left.seq(k));
        }
        part.clear();
      }
    }
    return unexplained;
  }

  private SlotReader mended(int place, long[] hashes) {
    SortedMap<Long, SlotLoss> slots = losses.get(place);
    SlotReader bits = stored.now(place, hashes);
    return slot -> {
      SlotLoss loss = slots.get(slot);
      return loss == null ? bits.bits(slot) : bits.bits(slot) | loss.bits();
    };
  }

  /** Returns the bits that the slots of the generation in that place lack, by slot. */
  SortedMap<Long, SlotLoss> losses(int place) {
    return losses.get(place);
  }

  /** How well what should be in the generation in that place fits its slots. */
  ChanceFit fit(int place) {
    return fits.get(place);
  }

  /** The recorded hashes that are lost, as far as they are remembered, of entries of that kind. */
  LongStream allLost(LongPredicate wantedSeqs) {
    return Stream.concat(lost.stream(), Stream.of(lostAnywhere))
        .flatMapToLong(batch -> batch.hashesOf(wantedSeqs));
  }

  /** The hashes that the generation in that place lacks. */
  HashBatch lost(int place) {
    return lost.get(place);
  }

  /** The hashes that are in none. */
  HashBatch lostAnywhere() {
    return lostAnywhere;
  }

  /** How many more hashes are lost than are remembered. */
  long unremembered() {
    return unremembered;
  }

  /**
   * How many hashes from before a replacement are in none.
   *
   * @param expected those which need not be
   */
  long forgotten(LongPredicate expected) {
    return LongStream.of(forgotten.hashes()).filter(expected.negate()).count() + alsoForgotten;
  }

  /** How many hashes were looked up. */
  long looked() {
    return looked;
  }

  /**
   * Bits that a slot lacks.
   *
   * @param bits the bits that are recorded but missing
   * @param keys how many recorded hashes need them
   * @param firstSeq the first entry with such a hash; 0 if that is a retained one
   */
  record SlotLoss(long bits, long keys, long firstSeq) {

    SlotLoss and(SlotLoss other) {
      return new SlotLoss(bits | other.bits, keys + other.keys, Math.min(firstSeq, other.firstSeq));
    }
  }

  /** Finds the bits of some keys in one generation. */
  private interface Bits {
    SlotReader of(int place, long[] hashes);
  }
}
