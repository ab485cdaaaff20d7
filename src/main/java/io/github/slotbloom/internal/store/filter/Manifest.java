package io.github.slotbloom.internal.store.filter;

import java.util.List;
import java.util.Objects;
import java.util.function.IntConsumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All generations of a filter from one entry of its journal on: the active ones, and the one that
 * is being filled to replace them.
 *
 * <p>A manifest also tells which of its generations took the keys of older entries. Generations
 * leave at the front, as buckets expire, or all at once, when they are replaced or cleared. So the
 * one that took an entry is either still the last that had begun by then, or gone with its keys.
 *
 * @param seq number of the entry that it came with; 0 if the filter was created with it
 * @param token token of that entry; 0 if the filter was created with its one generation
 * @param begins number of the entry that cleared the filter last, or 0: what older entries say of
 *     keys means nothing
 * @param next number of the generation that begins next; none is used twice
 * @param read generations that a key may be in, oldest first; at least one
 * @param target the generation that is filled beside them; null if there is none
 */
public record Manifest(
    long seq,
    long token,
    long begins,
    int next,
    List<GenerationRecord> read,
    @Nullable GenerationRecord target) {

  public Manifest {
    read = List.copyOf(read);
  }

  /** Returns the manifest of a filter that is reserved. */
  public static Manifest first(GenerationRecord generation) {
    return new Manifest(0, 0, 0, 2, List.of(generation), null);
  }

  /**
   * Returns the manifest of a filter that is imported.
   *
   * @param token 0 if the filter that it was made of never had another generation
   */
  public static Manifest imported(List<GenerationRecord> generations, long token) {
    int size = generations.size();
    // A number is left out where there was a generation before: it shows that the filter has grown.
    int next = size == 1 && token != 0 ? 3 : size + 1;
    return new Manifest(0, token, 0, next, generations, null);
  }

  /** Returns the active generations, followed by the one that is being filled, if there is one. */
  public List<GenerationRecord> all() {
    return target == null ? read : Stream.concat(read.stream(), Stream.of(target)).toList();
  }

  /**
   * Returns the number of the entry after which removed hashes are still of meaning: the oldest
   * generation that answers has no key that was removed before.
   */
  public long removedAfter() {
    return read.get(0).sinceSeq();
  }

  /** Returns true if the filter was replaced after an entry, also if it has grown since. */
  public boolean replacedAfter(long entry) {
    return read.get(0).cutoverSeq() > entry;
  }

  /** Returns the active generation that takes new keys. */
  public GenerationRecord newest() {
    return read.get(read.size() - 1);
  }

  /** Returns the generations that take keys of the newest bucket; all if keys never expire. */
  public List<GenerationRecord> ofNewestBucket() {
    return read.stream().filter(newest()::isInBucketOf).toList();
  }

  /** Returns true if keys expire. */
  public boolean isWindow() {
    return newest().bucket() != null;
  }

  /** Returns the generation that began with this manifest; null if none did. */
  public @Nullable GenerationRecord begun() {
    return all().stream()
        .filter(generation -> seq > 0 && generation.sinceSeq() == seq)
        .findFirst()
        .orElse(null);
  }

  /** Returns true if a generation stays when the one that is being filled replaces the others. */
  public boolean outlivesReplacement(GenerationRecord generation) {
    return target == null || generation.sinceSeq() >= target.sinceSeq();
  }

  /** Returns the place of the answering generation that took the new keys of an entry, or -1. */
  private int indexOf(long entry) {
    int i = read.size() - 1;
    while (i >= 0 && entry <= read.get(i).sinceSeq()) {
      i--;
    }
    return i;
  }

  /**
   * Passes on the places of the generations that take the keys of an entry.
   *
   * @param aim the aim of the entry
   * @param entry its number
   * @param taker receives their places in {@link #all}
   */
  public void forEachTaker(Aim aim, long entry, IntConsumer taker) {
    int newestThen = indexOf(entry);
    if (newestThen < 0) {
      return;
    }
    if (aim == Aim.NEWEST) {
      taker.accept(newestThen);
      // What began after the filling stays, and keeps its keys for itself.
      if (isFilling(entry) && !outlivesReplacement(read.get(newestThen))) {
        taker.accept(read.size());
      }
    } else if (aim == Aim.FILLING) {
      if (isFilling(entry)) {
        taker.accept(read.size());
      } else if (read.get(0).wasFilledBy(entry)) {
        taker.accept(0);
      }
    }
  }

  private boolean isFilling(long entry) {
    return target != null && entry > target.sinceSeq();
  }

  /**
   * Returns the last entry whose new keys go to the same generations, or {@link Long#MAX_VALUE} if
   * no later generation is known.
   */
  public long lastWithSameTakers(long entry) {
    LongStream begins = all().stream().mapToLong(GenerationRecord::sinceSeq);
    return begins.filter(since -> since >= entry).min().orElse(Long.MAX_VALUE);
  }

  /**
   * Returns the newer one of two manifests.
   *
   * @param other that of an entry; null if the entry has none
   */
  public Manifest orLater(@Nullable Manifest other) {
    return other == null || other.seq <= seq ? this : other;
  }

  /** Returns the manifest with which a generation begins to take all new keys. */
  public Manifest grown(GenerationRecord generation) {
    return beginning(generation, begins, followed(read, generation), target);
  }

  /** Returns the manifest with which a generation begins to be filled. */
  public Manifest filling(GenerationRecord generation) {
    return beginning(generation, begins, read, generation);
  }

  /** Returns the manifest with which a generation holds all keys that are still to come. */
  public Manifest cleared(GenerationRecord generation) {
    return beginning(generation, generation.sinceSeq(), List.of(generation), null);
  }

  private static Manifest beginning(
      GenerationRecord generation,
      long begins,
      List<GenerationRecord> read,
      @Nullable GenerationRecord target) {
    return new Manifest(
        generation.sinceSeq(),
        generation.sinceToken(),
        begins,
        generation.number() + 1,
        read,
        target);
  }

  /** Returns the manifest with which the filled generation answers in place of others. */
  public Manifest cutOver(long entry, long entryToken) {
    GenerationRecord filled = Objects.requireNonNull(target).filledUpTo(entry);
    Stream<GenerationRecord> staying = read.stream().filter(this::outlivesReplacement);
    return new Manifest(
        entry, entryToken, begins, next, Stream.concat(Stream.of(filled), staying).toList(), null);
  }

  /** Returns the manifest with which the generation that is being filled is given up. */
  public Manifest givenUp(long entry, long entryToken) {
    return new Manifest(entry, entryToken, begins, next, read, null);
  }

  /**
   * Returns the manifest with which a bucket begins. Generations whose keys expired are gone.
   *
   * @param closed what was counted in the bucket that is over
   * @param generation takes the keys of the new bucket
   */
  public Manifest rotated(KeyCounts closed, GenerationRecord generation) {
    List<GenerationRecord> all = followed(older(), newest().counting(closed));
    long bucket = Objects.requireNonNull(generation.bucket()).number();
    return beginning(generation, begins, followed(lasting(all, bucket), generation), null);
  }

  /** Returns the manifest with which the newest generation goes on in a later bucket. */
  public Manifest goingOn(long entry, long entryToken, Bucket bucket) {
    List<GenerationRecord> lasting = lasting(older(), bucket.number());
    return new Manifest(
        entry, entryToken, begins, next, followed(lasting, newest().goingOnIn(bucket)), null);
  }

  private List<GenerationRecord> older() {
    return read.subList(0, read.size() - 1);
  }

  private static List<GenerationRecord> lasting(List<GenerationRecord> some, long bucket) {
    return some.stream().filter(generation -> generation.answersIn(bucket)).toList();
  }

  private static List<GenerationRecord> followed(
      List<GenerationRecord> some, GenerationRecord next) {
    return Stream.concat(some.stream(), Stream.of(next)).toList();
  }
}
