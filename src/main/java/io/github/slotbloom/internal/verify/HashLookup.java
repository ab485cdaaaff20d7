package io.github.slotbloom.internal.verify;

import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.internal.bits.SlotReader;
import io.github.slotbloom.internal.store.filter.Manifest;
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
 * never taken away, so what is missing then is lost. Not thread-safe.
 */
final class HashLookup {

  private static final int BATCH = 1 << 14;

  /** Hashes that are remembered so that they can be written again; 16 MiB. */
  private static final int MOST_LOST = 1 << 20;

  /** Slots that are remembered by number. */
  private static final int MOST_SLOTS = 1 << 16;

  private final StoredBits stored;
  private final List<InGeneration> required = new ArrayList<>();
  private final InAny requiredAnywhere;
  private final InAny replaced;
  private final boolean oneAnswers;
  private long looked;

  HashLookup(Manifest manifest, StoredBits stored) {
    this.stored = stored;
    for (int place = 0; place < manifest.all().size(); place++) {
      required.add(new InGeneration(place));
    }
    int answering = manifest.read().size();
    requiredAnywhere = new InAny(0, answering);
    replaced = new InAny(0, answering);
    oneAnswers = answering == 1;
  }

  /** Looks up hashes that must be in the generation in that place. */
  void require(int place, long[] hashes, long seq) {
    required.get(place).add(hashes, seq);
  }

  /** Looks up hashes that must be in an active generation. */
  void requireAnywhere(long[] hashes, long seq) {
    (oneAnswers ? required.get(0) : requiredAnywhere).add(hashes, seq);
  }

  /** Looks up hashes from before a replacement, which may have been made to forget them. */
  void mayBeForgotten(long[] hashes, long seq) {
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

  /** The part that concerns the generation in that place. */
  InGeneration in(int place) {
    return required.get(place);
  }

  /** The recorded hashes that are lost, as far as they are remembered, of entries of that kind. */
  LongStream allLost(LongPredicate wantedSeqs) {
    return Stream.concat(
            required.stream().map(generation -> generation.lost), Stream.of(requiredAnywhere.lost))
        .flatMapToLong(batch -> batch.hashesOf(wantedSeqs));
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

  long looked() {
    return looked;
  }

  /** Hashes that must be in any of the generations in neighboring places. */
  class InAny {
    final HashBatch lost = new HashBatch(MOST_LOST);
    private final HashBatch waiting = new HashBatch(BATCH);
    private final int first;
    private final int end;

    /** The slots that were read last. */
    SlotReader bits = slot -> 0;

    InAny(int first, int end) {
      this.first = first;
      this.end = end;
    }

    void add(long[] hashes, long seq) {
      looked += hashes.length;
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
        lost(missing.hash(i), missing.seq(i));
      }
      waiting.clear();
    }

    private HashBatch missing(HashBatch batch, boolean again) {
      HashBatch missing = new HashBatch(BATCH);
      long[] hashes = batch.hashes();
      boolean[] members = new boolean[hashes.length];
      for (int place = first; place < end && hashes.length > 0; place++) {
        bits = again ? stored.now(place, hashes) : stored.of(place, hashes);
        stored.probe(place).markMembers(hashes, 0, hashes.length, bits, members);
      }
      for (int i = 0; i < hashes.length; i++) {
        if (!members[i]) {
          missing.add(hashes[i], batch.seq(i));
        }
      }
      return missing;
    }

    void lost(long hash, long seq) {
      lost.add(hash, seq);
    }
  }

  /** Hashes that must be in one generation, so that it is known which bits are missing. */
  final class InGeneration extends InAny {
    /** The bits that the slots lack, by slot. */
    final SortedMap<Long, SlotLoss> losses = new TreeMap<>();

    /** How well what should be there fits the slots. */
    final ChanceFit fit = new ChanceFit();

    private final Probe probe;

    InGeneration(int place) {
      super(place, place + 1);
      probe = stored.probe(place);
    }

    @Override
    void add(long[] hashes, long seq) {
      fit.looked(hashes.length);
      super.add(hashes, seq);
    }

    @Override
    void lost(long hash, long seq) {
      super.lost(hash, seq);
      fit.lost(probe, hash, bits);
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
