package io.github.slotbloom.internal.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.internal.bits.SlotRuns;
import io.github.slotbloom.internal.store.filter.Bucket;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.GenerationSet;
import io.github.slotbloom.internal.store.journal.Cursor;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.JournalEntry.Kind;
import io.github.slotbloom.internal.store.slots.MergedBits;
import io.github.slotbloom.internal.store.slots.SlotMasks;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ImageTest {

  private static final JournalEntry FIRST = new JournalEntry(6, 60, 50, new long[] {1, 2});
  private static final JournalEntry SECOND = new JournalEntry(7, 70, 60, new long[] {3});
  private static final GenerationRecord FIRST_GENERATION = generation(1, 0);
  private static final GenerationRecord NEXT = generation(2, 7);
  private static final List<JournalEntry> REPLACED =
      List.of(
          FIRST,
          beginning(Kind.REPLACE, NEXT),
          entry(8, Kind.ADD, 3),
          entry(9, Kind.FILL, 1, 4),
          entry(10, Kind.CUTOVER),
          entry(11, Kind.ADD, 5));

  private final Image image = image(new GenerationSet(List.of(FIRST_GENERATION), null));

  private static Image image(GenerationSet generations) {
    return new Image(new FilterName("a"), false, false, false, 1, generations, new Cursor(5, 50));
  }

  private static JournalEntry entry(long seq, Kind kind, long... hashes) {
    return new JournalEntry(seq, seq * 10, seq * 10 - 10, kind, hashes, null);
  }

  private static JournalEntry beginning(Kind kind, GenerationRecord generation) {
    long seq = generation.sinceSeq();
    return new JournalEntry(seq, seq * 10, seq * 10 - 10, kind, new long[0], generation);
  }

  private static GenerationRecord generation(int number, long sinceSeq) {
    return new GenerationRecord(
        number,
        sinceSeq,
        sinceSeq * 10,
        100,
        0.01,
        new BloomParameters(Layout.BLOCKED, 4096L * number, 6),
        "bloom_bits_a_v" + number,
        0);
  }

  @Test
  void anImageTakesEntriesThatContinueIt() {
    assertThat(image.contains(1)).isFalse();
    assertThat(image.apply(List.of(FIRST, SECOND))).isTrue();
    assertThat(image.cursor()).isEqualTo(new Cursor(7, 70));
    assertThat(List.of(1L, 2L, 3L)).allMatch(image::contains);
  }

  @Test
  void anImageAnswersForARangeOfKeys() {
    image.apply(List.of(FIRST, SECOND));
    boolean[] answers = {true, false, true, false, false};
    image.contains(new long[] {4, 1, 5, 2, 3}, 1, 4, answers);
    assertThat(answers).containsExactly(true, true, false, true, false);
  }

  @Test
  void laterKeysGoToTheGenerationThatAnEntryBegins() {
    JournalEntry begins = beginning(Kind.GROW, NEXT);
    JournalEntry later = entry(8, Kind.ADD, 3);
    assertThat(image.apply(List.of(FIRST, begins, later))).isTrue();
    assertThat(image.arrays().set().newest()).isEqualTo(NEXT);
    assertThat(List.of(1L, 2L, 3L)).allMatch(image::contains);
    boolean[] answers = new boolean[4];
    image.contains(new long[] {1, 3, 4, 2}, 0, 4, answers);
    assertThat(answers).containsExactly(true, true, false, true);
  }

  @Test
  void anEntryGoesToItsOwnGenerationEvenIfALaterOneIsKnown() {
    JournalEntry begins = beginning(Kind.GROW, NEXT);
    JournalEntry later = entry(8, Kind.ADD, 3);
    Image loaded = image(new GenerationSet(List.of(FIRST_GENERATION, NEXT), null));
    assertThat(loaded.apply(List.of(FIRST, begins, later))).isTrue();
    image.apply(List.of(FIRST, begins, later));
    for (Image one : List.of(loaded, image)) {
      assertThat(holding(one, FIRST_GENERATION)).containsExactly(1L, 2L);
      assertThat(holding(one, NEXT)).containsExactly(3L);
    }
    assertThat(loaded.arrays().set()).isEqualTo(image.arrays().set());
  }

  private static List<Long> holding(Image image, GenerationRecord generation) {
    return LongStream.rangeClosed(1, 9)
        .filter(hash -> image.arrays().contains(hash, generation, slot -> 0))
        .boxed()
        .toList();
  }

  @Test
  void newKeysGoToBothGenerationsDuringAReplacement() {
    image.apply(REPLACED.subList(0, 4));
    assertThat(image.arrays().set()).isEqualTo(new GenerationSet(List.of(FIRST_GENERATION), NEXT));
    assertThat(holding(image, FIRST_GENERATION)).containsExactly(1L, 2L, 3L);
    assertThat(holding(image, NEXT)).containsExactly(1L, 3L, 4L);
    assertThat(List.of(1L, 2L, 3L)).allMatch(image::contains);
    assertThat(image.contains(4)).as("in what is being filled alone").isFalse();
    assertThat(LongStream.rangeClosed(1, 4).filter(image::isRecorded)).containsExactly(1L, 3L);
    boolean[] recorded = new boolean[4];
    image.areRecorded(new long[] {1, 2, 3, 4}, 1, 4, recorded);
    assertThat(recorded).containsExactly(false, false, true, false);
    assertThat(image.arrays().lacking(new long[] {1, 2})).containsExactly(false, true);
  }

  @Test
  void theFilledGenerationAnswersAloneAfterTheCutover() {
    image.apply(REPLACED);
    assertThat(image.arrays().set().target()).isNull();
    assertThat(image.arrays().set().all()).singleElement().matches(NEXT::isSameAs);
    assertThat(LongStream.rangeClosed(1, 6).filter(image::contains))
        .containsExactly(1L, 3L, 4L, 5L);
    assertThat(image.arrays().lacking(new long[] {2})).isNull();
  }

  @Test
  void theFilledGenerationIsForgottenWhenItIsGivenUp() {
    image.apply(REPLACED.subList(0, 4));
    image.apply(List.of(entry(10, Kind.ABORT), entry(11, Kind.ADD, 5)));
    assertThat(image.arrays().set()).isEqualTo(new GenerationSet(List.of(FIRST_GENERATION), null));
    assertThat(LongStream.rangeClosed(1, 6).filter(image::contains))
        .containsExactly(1L, 2L, 3L, 5L);
  }

  @Test
  void olderEntriesGoToTheGenerationsOfToday() {
    image.apply(REPLACED);
    GenerationRecord replaced = image.arrays().set().newest();
    Image loadedAfterCutover = image(new GenerationSet(List.of(replaced), null));
    assertThat(loadedAfterCutover.apply(REPLACED)).isTrue();
    assertThat(loadedAfterCutover.arrays().set()).isEqualTo(image.arrays().set());
    assertThat(holding(loadedAfterCutover, replaced)).contains(1L, 3L, 4L, 5L);

    Image loadedWhileFilled = image(new GenerationSet(List.of(FIRST_GENERATION), NEXT));
    assertThat(loadedWhileFilled.apply(REPLACED.subList(0, 4))).isTrue();
    assertThat(holding(loadedWhileFilled, FIRST_GENERATION)).containsExactly(1L, 2L, 3L);
    assertThat(holding(loadedWhileFilled, NEXT)).containsExactly(1L, 3L, 4L);

    GenerationRecord third = generation(3, 11);
    List<JournalEntry> aborted = new ArrayList<>(REPLACED.subList(0, 4));
    aborted.add(entry(10, Kind.ABORT));
    aborted.add(beginning(Kind.REPLACE, third));
    aborted.add(entry(12, Kind.FILL, 6));
    Image loadedInTheNext = image(new GenerationSet(List.of(FIRST_GENERATION), third));
    assertThat(loadedInTheNext.apply(aborted)).isTrue();
    assertThat(holding(loadedInTheNext, third)).as("not of the first attempt").containsExactly(6L);
  }

  @Test
  void anImageSkipsEntriesThatItHas() {
    image.apply(List.of(FIRST));
    assertThat(image.apply(List.of(FIRST, SECOND))).isTrue();
    assertThat(image.cursor()).isEqualTo(new Cursor(7, 70));
  }

  @Test
  void anImageRefusesAGap() {
    assertThat(image.apply(List.of(SECOND))).isFalse();
    assertThat(image.cursor()).isEqualTo(new Cursor(5, 50));
    assertThat(image.contains(3)).isFalse();
  }

  @Test
  void anImageRefusesRewrittenHistory() {
    JournalEntry other = new JournalEntry(6, 61, 49, new long[] {1});
    assertThat(image.apply(List.of(other))).isFalse();
    assertThat(image.contains(1)).isFalse();
  }

  @Test
  void anImageIsConfirmedUpToADurableCommit() {
    assertThat(image.confirmed()).isFalse();
    image.confirm(5);
    assertThat(image.confirmed()).isTrue();
    image.apply(List.of(FIRST));
    assertThat(image.confirmed()).isFalse();
    image.confirm(6);
    assertThat(image.confirmed()).isTrue();
  }

  private static JournalEntry merging(long seq, GenerationRecord generation, long... hashes) {
    SlotMasks masks = new SlotMasks();
    Probe.of(generation.parameters()).forEachMask(hashes, masks);
    SlotRuns runs = new SlotRuns(MergedBits.MAX_BYTES);
    for (long slot : masks.sortedSlots()) {
      assertThat(runs.offer(slot, masks.mask(slot))).isTrue();
    }
    return new JournalEntry(
        seq,
        seq * 10,
        seq * 10 - 10,
        Kind.MERGE,
        new long[0],
        null,
        MergedBits.of(generation, runs.take()));
  }

  @Test
  void mergedBitsGoToTheirGeneration() {
    assertThat(image.apply(List.of(merging(6, FIRST_GENERATION, 1, 2), entry(7, Kind.ADD, 3))))
        .isTrue();
    assertThat(List.of(1L, 2L, 3L)).allMatch(image::contains);
    JournalEntry begins = beginning(Kind.GROW, generation(2, 8));
    assertThat(image.apply(List.of(begins, merging(9, FIRST_GENERATION, 4)))).isTrue();
    assertThat(image.contains(4)).isTrue();
    assertThat(image.apply(List.of(merging(10, generation(2, 8), 5)))).isTrue();
    assertThat(image.contains(5)).isTrue();
  }

  @Test
  void mergedBitsOfAMissingGenerationAreDropped() {
    // Lost in a failover and begun once more, it has another token; and so it has where a clear
    // made it anew.
    GenerationRecord other = generation(1, 3);
    assertThat(image.apply(List.of(merging(6, other, 1), merging(7, NEXT, 2)))).isTrue();
    assertThat(image.contains(1)).isFalse();
    assertThat(image.contains(2)).isFalse();
  }

  /** The first generation of a window of two buckets, in bucket 10. */
  private static final GenerationRecord IN_10 = FIRST_GENERATION.in(new Bucket(10, 2));

  private static Image window(boolean renews, GenerationRecord... generations) {
    return new Image(
        new FilterName("a"),
        false,
        false,
        renews,
        1,
        new GenerationSet(List.of(generations), null),
        new Cursor(5, 50));
  }

  /** As the journal holds it: the generation begins with the entry, or goes on with it. */
  private static JournalEntry rotating(long seq, int generation, long bucket) {
    return JournalEntry.rotating(
        generation(generation, seq).in(new Bucket(bucket, 2)),
        new Cursor(seq - 1, seq * 10 - 10),
        seq * 10);
  }

  private static List<Long> found(Image image) {
    return LongStream.rangeClosed(1, 9).filter(image::contains).boxed().toList();
  }

  private static List<Long> bucketsOf(Image image) {
    return image.arrays().set().read().stream()
        .map(generation -> Objects.requireNonNull(generation.bucket()).number())
        .toList();
  }

  private static final List<JournalEntry> ROTATED =
      List.of(
          entry(6, Kind.ADD, 1),
          rotating(7, 2, 11),
          entry(8, Kind.ADD, 2),
          rotating(9, 3, 12),
          entry(10, Kind.ADD, 3),
          rotating(11, 4, 13),
          entry(12, Kind.ADD, 4));

  @Test
  void laterKeysGoToTheBucketThatBeginsAndThoseThatExpireAreGone() {
    Image image = window(false, IN_10);
    image.apply(ROTATED.subList(0, 5));
    assertThat(bucketsOf(image)).containsExactly(10L, 11L, 12L);
    assertThat(found(image)).containsExactly(1L, 2L, 3L);
    image.apply(ROTATED);
    assertThat(bucketsOf(image)).containsExactly(11L, 12L, 13L);
    assertThat(found(image)).containsExactly(2L, 3L, 4L);
    image.apply(List.of(rotating(13, 5, 99)));
    assertThat(bucketsOf(image)).containsExactly(99L);
    assertThat(found(image)).isEmpty();
  }

  @Test
  void aLayerOfABucketExpiresWithIt() {
    Image image = window(false, IN_10);
    image.apply(
        List.of(
            entry(6, Kind.ADD, 1),
            beginning(Kind.GROW, NEXT),
            entry(8, Kind.ADD, 2),
            rotating(9, 3, 12)));
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
    GenerationRecord[] now = image.arrays().set().read().toArray(new GenerationRecord[0]);
    Image loaded = window(false, now);
    for (int i = 0; i < ROTATED.size(); i++) {
      assertThat(loaded.apply(List.of(ROTATED.get(i)))).isTrue();
      assertThat(loaded.arrays().set()).isEqualTo(image.arrays().set());
    }
    assertThat(found(loaded)).containsExactly(2L, 3L, 4L);
    for (GenerationRecord each : now) {
      assertThat(holding(loaded, each)).isEqualTo(holding(image, each)).hasSize(1);
    }
  }

  @Test
  void theNewestGenerationGoesOnInALaterBucketWithAllThatItHolds() {
    Image image = window(true, IN_10);
    image.expire(10);
    List<JournalEntry> entries =
        List.of(entry(6, Kind.ADD, 1), rotating(7, 1, 12), entry(8, Kind.ADD, 2));
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

    Image loaded = window(true, image.arrays().set().newest());
    loaded.apply(entries);
    assertThat(loaded.arrays().set()).isEqualTo(image.arrays().set());
    assertThat(found(loaded)).containsExactly(1L, 2L);
  }

  @Test
  void anEntryThatLetsAGenerationGoOnChangesNothingOnceAnotherBegan() {
    List<JournalEntry> entries =
        List.of(
            entry(6, Kind.ADD, 1),
            rotating(7, 1, 11),
            entry(8, Kind.ADD, 2),
            rotating(9, 2, 12),
            entry(10, Kind.ADD, 3));
    Image image = window(false, IN_10);
    image.apply(entries);
    assertThat(bucketsOf(image)).containsExactly(11L, 12L);
    Image loaded = window(false, image.arrays().set().read().toArray(new GenerationRecord[0]));
    loaded.apply(entries);
    assertThat(loaded.arrays().set()).isEqualTo(image.arrays().set());
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
    renewing.apply(List.of(rotating(10, 3, 12), entry(11, Kind.ADD, 4), rotating(12, 4, 13)));
    assertThat(found(renewing)).as("as long as the bucket it was renewed in").contains(1L, 2L);
  }

  @ParameterizedTest
  @EnumSource
  void aKeyIsFoundInEachOfManyBucketsUntilItsOwnExpires(Layout layout) {
    int buckets = 40;
    Image image = window(false, inBucket(0, layout, buckets));
    long[] hashes = new long[buckets + 1];
    for (int i = 0; i <= buckets; i++) {
      if (i > 0) {
        long seq = image.cursor().seq() + 1;
        image.apply(
            List.of(JournalEntry.rotating(inBucket(i, layout, buckets), image.cursor(), seq * 10)));
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
        new Bucket(bucket, buckets));
  }
}
