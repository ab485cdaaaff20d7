package io.github.slotbloom.internal.verify;

import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.internal.bits.SlotReader;
import io.github.slotbloom.internal.store.filter.GenerationSet;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
  private static final int MOST_LOST = 1 << 20;

  /** Slots that are remembered by number. */
  private static final int MOST_SLOTS = 1 << 16;

  private final GenerationSet set;
  private final StoredBits stored;
  private final List<InGeneration> required = new ArrayList<>();
  private final InAny requiredAnywhere = new InAny();
  private final InAny replaced = new InAny();
  private long looked;

  HashLookup(GenerationSet set, StoredBits stored) {
    this.set = set;
    this.stored = stored;
    for (int place = 0; place < set.all().size(); place++) {
      required.add(new InGeneration(place));
    }
  }

  /** Looks up hashes that must be in the generation in that place. */
  void require(int place, long[] hashes, long seq) {
    looked += hashes.length;
    for (long hash : hashes) {
      required.get(place).add(hash, seq);
    }
  }

  /** Looks up hashes that must be in a generation that answers. */
  void requireAnywhere(long[] hashes, long seq) {
    if (set.read().size() == 1) {
      require(0, hashes, seq);
    } else {
      looked += hashes.length;
      requiredAnywhere.add(hashes, seq);
    }
  }

  /** Looks up hashes from before a replacement, which may have been made to forget them. */
  void mayBeForgotten(long[] hashes, long seq) {
    looked += hashes.length;
    replaced.add(hashes, seq);
  }

  /** Looks up the hashes that still wait in a batch. */
  void finish() {
    required.forEach(InGeneration::look);
    requiredAnywhere.look();
    replaced.look();
  }

  /** Those of the hashes which are in no generation, and are not known to have been in one. */
  HashBatch unexplained() {
    Set<Long> known = new HashSet<>();
    required.forEach(generation -> LongStream.of(generation.lost.hashes()).forEach(known::add));
    HashBatch unexplained = new HashBatch(MOST_LOST);
    HashBatch lost = requiredAnywhere.lost;
    for (int i = 0; i < lost.size(); i++) {
      if (!known.contains(lost.hash(i))) {
        unexplained.add(lost.hash(i), lost.seq(i));
      }
    }
    return unexplained;
  }

  /** Returns the bits that the slots of the generation in that place lack, by slot. */
  SortedMap<Long, SlotLoss> losses(int place) {
    return required.get(place).losses;
  }

  /** How well what should be in the generation in that place fits its slots. */
  ChanceFit fit(int place) {
    return required.get(place).fit;
  }

  /** The recorded hashes that are lost, as far as they are remembered, of entries of that kind. */
  LongStream allLost(LongPredicate wantedSeqs) {
    return Stream.concat(
            required.stream().map(generation -> generation.lost), Stream.of(requiredAnywhere.lost))
        .flatMapToLong(batch -> batch.hashesOf(wantedSeqs));
  }

  /** The hashes that the generation in that place lacks. */
  HashBatch lost(int place) {
    return required.get(place).lost;
  }

  /** How many more hashes are lost than are remembered. */
  long unremembered() {
    return required.stream().mapToLong(generation -> generation.lost.overflow()).sum()
        + requiredAnywhere.lost.overflow();
  }

  /**
   * How many hashes from before a replacement are in none.
   *
   * @param expected those which need not be
   */
  long forgotten(LongPredicate expected) {
    return LongStream.of(replaced.lost.hashes()).filter(expected.negate()).count()
        + replaced.lost.overflow();
  }

  /** How many hashes were looked up. */
  long looked() {
    return looked;
  }

  /** Hashes that must be in one generation. */
  private final class InGeneration {
    final HashBatch lost = new HashBatch(MOST_LOST);
    final SortedMap<Long, SlotLoss> losses = new TreeMap<>();
    final ChanceFit fit = new ChanceFit();
    private final HashBatch waiting = new HashBatch(BATCH);
    private final int place;
    private final Probe probe;

    InGeneration(int place) {
      this.place = place;
      probe = Probe.of(set.all().get(place).parameters());
    }

    void add(long hash, long seq) {
      waiting.add(hash, seq);
      if (waiting.isFull()) {
        look();
      }
    }

    void look() {
      fit.looked(waiting.size());
      HashBatch missing = missing(waiting, stored.of(place, waiting.hashes()));
      waiting.clear();
      if (missing.size() > 0) {
        SlotReader bits = stored.now(place, missing.hashes());
        HashBatch again = missing(missing, bits);
        for (int i = 0; i < again.size(); i++) {
          lost.add(again.hash(i), again.seq(i));
          note(again.hash(i), again.seq(i), bits);
          fit.lost(probe, again.hash(i), bits);
        }
      }
    }

    private HashBatch missing(HashBatch batch, SlotReader bits) {
      HashBatch missing = new HashBatch(BATCH);
      for (int i = 0; i < batch.size(); i++) {
        if (!probe.isMember(batch.hash(i), bits)) {
          missing.add(batch.hash(i), batch.seq(i));
        }
      }
      return missing;
    }

    private void note(long hash, long seq, SlotReader bits) {
      probe.forEachMask(
          hash,
          (slot, mask) -> {
            long lacking = mask & ~bits.bits(slot);
            if (lacking != 0 && (losses.size() < MOST_SLOTS || losses.containsKey(slot))) {
              losses.merge(slot, new SlotLoss(lacking, seq), SlotLoss::and);
            }
          });
    }
  }

  /** Hashes that must be in any of the generations that answer. */
  private final class InAny {
    final HashBatch lost = new HashBatch(MOST_LOST);
    private final HashBatch waiting = new HashBatch(BATCH);

    void add(long[] hashes, long seq) {
      for (long hash : hashes) {
        waiting.add(hash, seq);
        if (waiting.isFull()) {
          look();
        }
      }
    }

    void look() {
      HashBatch missing = missing(missing(waiting, false), true);
      for (int i = 0; i < missing.size(); i++) {
        lost.add(missing.hash(i), missing.seq(i));
      }
      waiting.clear();
    }

    private HashBatch missing(HashBatch batch, boolean again) {
      HashBatch missing = new HashBatch(BATCH);
      if (batch.size() == 0) {
        return missing;
      }
      long[] hashes = batch.hashes();
      boolean[] members = new boolean[hashes.length];
      for (int place = 0; place < set.read().size(); place++) {
        SlotReader bits = again ? stored.now(place, hashes) : stored.of(place, hashes);
        required.get(place).probe.markMembers(hashes, 0, hashes.length, bits, members);
      }
      for (int i = 0; i < hashes.length; i++) {
        if (!members[i]) {
          missing.add(hashes[i], batch.seq(i));
        }
      }
      return missing;
    }
  }

  /**
   * Bits that a slot lacks.
   *
   * @param bits the bits that are recorded but missing
   * @param firstSeq the first entry with such a hash; 0 if that is a retained one
   */
  record SlotLoss(long bits, long firstSeq) {

    SlotLoss and(SlotLoss other) {
      return new SlotLoss(bits | other.bits, Math.min(firstSeq, other.firstSeq));
    }
  }
}
