package io.github.slotbloom.internal.mirror;

import static io.github.slotbloom.internal.mirror.Journaled.FIRST_GENERATION;
import static io.github.slotbloom.internal.mirror.Journaled.entry;
import static io.github.slotbloom.internal.mirror.Journaled.found;
import static io.github.slotbloom.internal.mirror.Journaled.generation;
import static io.github.slotbloom.internal.mirror.Journaled.holding;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.internal.store.filter.Bucket;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.KeyCounts;
import io.github.slotbloom.internal.store.filter.Manifest;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.JournalEntry.Kind;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Images of filters whose keys expire. */
class ImageOfWindowTest {

  /** A window of two buckets, as it was made in bucket 10. */
  private static final Manifest IN_10 = Manifest.first(FIRST_GENERATION.in(new Bucket(10, 2)));

  private static final Manifest IN_11 = rotated(IN_10, 7, 2, 11);
  private static final Manifest IN_12 = rotated(IN_11, 9, 3, 12);
  private static final Manifest IN_13 = rotated(IN_12, 11, 4, 13);

  private static final List<JournalEntry> ROTATED =
      List.of(
          entry(6, Kind.ADD, 1),
          entry(IN_11),
          entry(8, Kind.ADD, 2),
          entry(IN_12),
          entry(10, Kind.ADD, 3),
          entry(IN_13),
          entry(12, Kind.ADD, 4));

  private static Image window(boolean renews, Manifest manifest) {
    return Journaled.image(false, false, renews, manifest);
  }

  private static Manifest rotated(Manifest before, long seq, int generation, long bucket) {
    return before.rotated(
        new KeyCounts(1, 0), generation(generation, seq).in(new Bucket(bucket, 2)));
  }

  private static Manifest goingOn(Manifest before, long seq, long bucket) {
    return before.goingOn(seq, seq * 10, new Bucket(bucket, 2));
  }

  private static List<Long> bucketsOf(Image image) {
    return image.arrays().manifest().read().stream()
        .map(generation -> Objects.requireNonNull(generation.bucket()).number())
        .toList();
  }

  @Test
  void laterKeysGoToTheBucketThatBeginsAndThoseThatExpireAreGone() {
    Image image = window(false, IN_10);
    image.apply(ROTATED.subList(0, 5));
    assertThat(bucketsOf(image)).containsExactly(10L, 11L, 12L);
    assertThat(found(image)).containsExactly(1L, 2L, 3L);
    image.apply(ROTATED);
    assertThat(bucketsOf(image)).containsExactly(11L, 12L, 13L);
    assertThat(found(image)).containsExactly(2L, 3L, 4L);
    image.apply(List.of(entry(rotated(IN_13, 13, 5, 99))));
    assertThat(bucketsOf(image)).containsExactly(99L);
    assertThat(found(image)).isEmpty();
  }

  @Test
  void aLayerOfABucketExpiresWithIt() {
    Image image = window(false, IN_10);
    Manifest grown = IN_10.grown(generation(2, 7).in(new Bucket(10, 2)));
    image.apply(
        List.of(
            entry(6, Kind.ADD, 1),
            entry(grown),
            entry(8, Kind.ADD, 2),
            entry(rotated(grown, 9, 3, 12))));
    assertThat(bucketsOf(image)).containsExactly(10L, 10L, 12L);
    image.expire(12);
    assertThat(found(image)).containsExactly(1L, 2L);
    image.expire(13);
    assertThat(found(image)).isEmpty();
  }

  @Test
  void aSetThatIsNewerThanAnEntryTakesKeysOfItsBucketsOnly() {
    Image image = window(false, IN_10);
    image.apply(ROTATED);
    Image loaded = window(false, IN_13);
    for (int i = 0; i < ROTATED.size(); i++) {
      assertThat(loaded.apply(List.of(ROTATED.get(i)))).isTrue();
      assertThat(loaded.arrays().manifest()).isEqualTo(image.arrays().manifest());
    }
    assertThat(found(loaded)).containsExactly(2L, 3L, 4L);
    for (GenerationRecord each : IN_13.read()) {
      assertThat(holding(loaded, each)).isEqualTo(holding(image, each)).hasSize(1);
    }
  }

  @Test
  void theNewestGenerationGoesOnInALaterBucketWithAllThatItHolds() {
    Image image = window(true, IN_10);
    image.expire(10);
    List<JournalEntry> entries =
        List.of(entry(6, Kind.ADD, 1), entry(goingOn(IN_10, 7, 12)), entry(8, Kind.ADD, 2));
    image.apply(entries);
    assertThat(bucketsOf(image)).containsExactly(12L);
    image.expire(12);
    assertThat(found(image)).containsExactly(1L, 2L);
    assertThat(image.isRecorded(1)).as("in the newest bucket").isTrue();
    assertThat(image.isRecorded(2)).isTrue();
    image.expire(14);
    assertThat(found(image)).as("for the window after the later bucket").containsExactly(1L, 2L);
    image.expire(15);
    assertThat(found(image)).isEmpty();

    Image loaded = window(true, image.arrays().manifest());
    loaded.apply(entries);
    assertThat(loaded.arrays().manifest()).isEqualTo(image.arrays().manifest());
    assertThat(found(loaded)).containsExactly(1L, 2L);
  }

  @Test
  void anEntryThatLetsAGenerationGoOnChangesNothingOnceAnotherBegan() {
    Manifest goesOn = goingOn(IN_10, 7, 11);
    List<JournalEntry> entries =
        List.of(
            entry(6, Kind.ADD, 1),
            entry(goesOn),
            entry(8, Kind.ADD, 2),
            entry(rotated(goesOn, 9, 2, 12)),
            entry(10, Kind.ADD, 3));
    Image image = window(false, IN_10);
    image.apply(entries);
    assertThat(bucketsOf(image)).containsExactly(11L, 12L);
    Image loaded = window(false, image.arrays().manifest());
    loaded.apply(entries);
    assertThat(loaded.arrays().manifest()).isEqualTo(image.arrays().manifest());
    assertThat(found(loaded)).containsExactly(1L, 2L, 3L);
  }

  @Test
  void keysExpireByTheClockBeforeTheNextBucketBegins() {
    Image image = window(false, IN_10);
    image.apply(ROTATED.subList(0, 3));
    image.expire(12);
    assertThat(found(image)).containsExactly(1L, 2L);
    image.expire(13);
    assertThat(found(image)).containsExactly(2L);
    boolean[] answers = new boolean[3];
    image.contains(new long[] {1, 2, 3}, 0, 3, answers);
    assertThat(answers).containsExactly(false, true, false);
    assertThat(image.isRecorded(1)).isFalse();
    image.expire(11);
    assertThat(found(image)).as("a clock that is set back").containsExactly(2L);
    image.arrays().haveBits(new long[] {1, 2, 3}, 0, 3, answers);
    assertThat(answers).as("until the next bucket begins").containsExactly(true, true, false);
    image.apply(ROTATED.subList(3, 5));
    assertThat(found(image)).as("after a bucket began").containsExactly(2L, 3L);
    image.expire(Long.MAX_VALUE);
    assertThat(found(image)).isEmpty();
  }

  @Test
  void aKeyOfAnOlderBucketIsNotRecordedWhereKeysAreRenewed() {
    Image first = window(false, IN_10);
    Image renewing = window(true, IN_10);
    for (Image image : List.of(first, renewing)) {
      image.apply(ROTATED.subList(0, 3));
    }
    assertThat(first.isRecorded(1)).isTrue();
    assertThat(renewing.isRecorded(1)).isFalse();
    assertThat(renewing.isRecorded(2)).isTrue();
    boolean[] recorded = new boolean[3];
    renewing.areRecorded(new long[] {1, 2, 3}, 0, 3, recorded);
    assertThat(recorded).containsExactly(false, true, false);
    assertThat(renewing.apply(List.of(entry(9, Kind.RENEW, 1)))).isTrue();
    assertThat(renewing.isRecorded(1)).isTrue();
    Manifest in12 = rotated(IN_11, 10, 3, 12);
    renewing.apply(List.of(entry(in12), entry(11, Kind.ADD, 4), entry(rotated(in12, 12, 4, 13))));
    assertThat(found(renewing)).as("as long as the bucket it was renewed in").contains(1L, 2L);
  }

  @ParameterizedTest
  @EnumSource
  void aKeyIsFoundInEachOfManyBucketsUntilItsOwnExpires(Layout layout) {
    int buckets = 40;
    Image image = window(false, Manifest.first(inBucket(0, layout, buckets)));
    long[] hashes = new long[buckets + 1];
    for (int i = 0; i <= buckets; i++) {
      if (i > 0) {
        GenerationRecord next = inBucket(i, layout, buckets);
        Manifest manifest = image.arrays().manifest().rotated(new KeyCounts(1, 0), next);
        assertThat(image.apply(List.of(entry(manifest)))).isTrue();
      }
      hashes[i] = i * 7919L;
      image.apply(List.of(entry(image.cursor().seq() + 1, Kind.ADD, hashes[i])));
    }
    for (int expired = 0; expired <= buckets; expired++) {
      image.expire(buckets + expired);
      boolean[] answers = new boolean[hashes.length];
      image.contains(hashes, 0, hashes.length, answers);
      for (int i = 0; i < hashes.length; i++) {
        assertThat(answers[i]).isEqualTo(image.contains(hashes[i])).isEqualTo(i >= expired);
      }
    }
  }

  /**
   * The generation of a bucket in which one key is added. Two shapes, in runs, some of few bits.
   */
  private static GenerationRecord inBucket(int bucket, Layout layout, int buckets) {
    long sinceSeq = bucket == 0 ? 0 : 5 + 2L * bucket;
    return new GenerationRecord(
            bucket + 1,
            sinceSeq,
            sinceSeq * 10,
            100,
            0.01,
            new BloomParameters(layout, 4096, bucket % 20 < 14 ? 40 : 2),
            "bloom_bits_a_v" + (bucket + 1),
            0,
            null,
            false,
            null)
        .in(new Bucket(bucket, buckets));
  }
}
