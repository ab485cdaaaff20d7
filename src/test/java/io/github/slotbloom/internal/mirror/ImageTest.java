package io.github.slotbloom.internal.mirror;

import static io.github.slotbloom.internal.mirror.Journaled.FIRST_GENERATION;
import static io.github.slotbloom.internal.mirror.Journaled.MADE;
import static io.github.slotbloom.internal.mirror.Journaled.entry;
import static io.github.slotbloom.internal.mirror.Journaled.found;
import static io.github.slotbloom.internal.mirror.Journaled.generation;
import static io.github.slotbloom.internal.mirror.Journaled.holding;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.internal.bits.SlotRuns;
import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.Manifest;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.JournalEntry.Kind;
import io.github.slotbloom.internal.store.slots.MergedBits;
import io.github.slotbloom.internal.store.slots.SlotMasks;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ImageTest {

  private static final JournalEntry FIRST =
      new JournalEntry(6, 60, 50, Kind.ADD, new long[] {1, 2}, null, null);
  private static final JournalEntry SECOND =
      new JournalEntry(7, 70, 60, Kind.ADD, new long[] {3}, null, null);
  private static final GenerationRecord NEXT = generation(2, 7);
  private static final Manifest GROWN = MADE.grown(NEXT);
  private static final Manifest FILLING = MADE.filling(NEXT);
  private static final Manifest CUT_OVER = FILLING.cutOver(10, 100);
  private static final List<JournalEntry> REPLACED =
      List.of(
          FIRST,
          entry(FILLING),
          entry(8, Kind.ADD, 3),
          entry(9, Kind.FILL, 1, 4),
          entry(CUT_OVER),
          entry(11, Kind.ADD, 5));

  /** It begins while the second one is being filled. */
  private static final GenerationRecord THIRD = generation(3, 10);

  private static final Manifest GROWN_MEANWHILE = FILLING.grown(THIRD);
  private static final List<JournalEntry> REPLACED_AND_GROWN =
      List.of(
          FIRST,
          entry(FILLING),
          entry(8, Kind.ADD, 3),
          entry(9, Kind.FILL, 1, 4),
          entry(GROWN_MEANWHILE),
          entry(11, Kind.ADD, 5),
          entry(12, Kind.READD, 6),
          entry(13, Kind.RETURN, 7),
          entry(14, Kind.REMOVE, 8));

  private final Image image = image(MADE);

  private static Image image(Manifest manifest) {
    return Journaled.image(false, false, false, manifest);
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
    JournalEntry later = entry(8, Kind.ADD, 3);
    assertThat(image.apply(List.of(FIRST, entry(GROWN), later))).isTrue();
    assertThat(image.arrays().manifest().newest()).isEqualTo(NEXT);
    assertThat(List.of(1L, 2L, 3L)).allMatch(image::contains);
    boolean[] answers = new boolean[4];
    image.contains(new long[] {1, 3, 4, 2}, 0, 4, answers);
    assertThat(answers).containsExactly(true, true, false, true);
  }

  @Test
  void anEntryGoesToItsOwnGenerationEvenIfALaterOneIsKnown() {
    JournalEntry later = entry(8, Kind.ADD, 3);
    Image loaded = image(GROWN);
    assertThat(loaded.apply(List.of(FIRST, entry(GROWN), later))).isTrue();
    image.apply(List.of(FIRST, entry(GROWN), later));
    for (Image one : List.of(loaded, image)) {
      assertThat(holding(one, FIRST_GENERATION)).containsExactly(1L, 2L);
      assertThat(holding(one, NEXT)).containsExactly(3L);
    }
    assertThat(loaded.arrays().manifest()).isEqualTo(image.arrays().manifest());
  }

  @Test
  void newKeysGoToBothGenerationsDuringAReplacement() {
    image.apply(REPLACED.subList(0, 4));
    assertThat(image.arrays().manifest()).isEqualTo(FILLING);
    assertThat(image.arrays().manifest().read()).containsExactly(FIRST_GENERATION);
    assertThat(image.arrays().manifest().target()).isEqualTo(NEXT);
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
    assertThat(image.arrays().manifest().target()).isNull();
    assertThat(image.arrays().manifest().all()).singleElement().matches(NEXT::isSameAs);
    assertThat(found(image)).containsExactly(1L, 3L, 4L, 5L);
    assertThat(image.arrays().lacking(new long[] {2})).isNull();
  }

  @Test
  void theFilledGenerationIsForgottenWhenItIsGivenUp() {
    image.apply(REPLACED.subList(0, 4));
    Manifest givenUp = FILLING.givenUp(10, 100);
    image.apply(List.of(entry(givenUp), entry(11, Kind.ADD, 5)));
    assertThat(image.arrays().manifest()).isEqualTo(givenUp);
    assertThat(givenUp.all()).containsExactly(FIRST_GENERATION);
    assertThat(found(image)).containsExactly(1L, 2L, 3L, 5L);
    assertThat(image.arrays().lacking(new long[] {2})).isNull();
  }

  @Test
  void olderEntriesGoToTheGenerationsOfToday() {
    image.apply(REPLACED);
    Image loadedAfterCutover = image(CUT_OVER);
    assertThat(loadedAfterCutover.apply(REPLACED)).isTrue();
    assertThat(loadedAfterCutover.arrays().manifest()).isEqualTo(image.arrays().manifest());
    assertThat(holding(loadedAfterCutover, NEXT))
        .as("not those that were added before it began")
        .isEqualTo(holding(image, NEXT))
        .containsExactly(1L, 3L, 4L, 5L);

    Image loadedWhileFilled = image(FILLING);
    assertThat(loadedWhileFilled.apply(REPLACED.subList(0, 4))).isTrue();
    assertThat(holding(loadedWhileFilled, FIRST_GENERATION)).containsExactly(1L, 2L, 3L);
    assertThat(holding(loadedWhileFilled, NEXT)).containsExactly(1L, 3L, 4L);

    GenerationRecord third = generation(3, 11);
    Manifest givenUp = FILLING.givenUp(10, 100);
    List<JournalEntry> again = new ArrayList<>(REPLACED.subList(0, 4));
    again.add(entry(givenUp));
    again.add(entry(givenUp.filling(third)));
    again.add(entry(12, Kind.FILL, 6));
    Image loadedInTheNext = image(givenUp.filling(third));
    assertThat(loadedInTheNext.apply(again)).isTrue();
    assertThat(holding(loadedInTheNext, third)).as("not of the first attempt").containsExactly(6L);
    assertThat(holding(loadedInTheNext, FIRST_GENERATION)).containsExactly(1L, 2L, 3L);
  }

  @Test
  void newKeysGoOnlyToAGenerationThatBeganDuringAReplacement() {
    Image loaded = image(GROWN_MEANWHILE);
    for (Image one : List.of(image, loaded)) {
      assertThat(one.apply(REPLACED_AND_GROWN)).isTrue();
      assertThat(one.arrays().manifest()).isEqualTo(GROWN_MEANWHILE);
      assertThat(holding(one, FIRST_GENERATION)).containsExactly(1L, 2L, 3L);
      assertThat(holding(one, NEXT)).containsExactly(1L, 3L, 4L, 7L, 8L);
      assertThat(holding(one, THIRD)).containsExactly(5L, 6L);
      assertThat(found(one)).containsExactly(1L, 2L, 3L, 5L, 6L);
    }
  }

  @Test
  void theFilledGenerationNeedsNoKeysOfOneThatBeganMeanwhile() {
    image.apply(REPLACED_AND_GROWN);
    assertThat(image.arrays().lacking(new long[] {1, 2, 3, 5, 6, 9}))
        .containsExactly(false, true, false, false, false, true);
    assertThat(image.arrays().lacks(5)).isFalse();
    assertThat(image.arrays().lacks(2)).isTrue();
    assertThat(LongStream.rangeClosed(1, 9).filter(image::isRecorded))
        .containsExactly(1L, 3L, 5L, 6L);
    boolean[] recorded = new boolean[4];
    image.areRecorded(new long[] {1, 2, 5, 9}, 0, 4, recorded);
    assertThat(recorded).containsExactly(true, false, true, false);
    image.apply(List.of(entry(15, Kind.FILL, 2)));
    assertThat(image.arrays().lacks(2)).isFalse();
    assertThat(holding(image, THIRD)).as("filled for the other").containsExactly(5L, 6L);
  }

  @Test
  void aGenerationFromBeforeAReplacementDoesNotOutliveIt() {
    GenerationRecord target = generation(3, 9);
    Manifest filling = GROWN.filling(target);
    List<JournalEntry> entries =
        List.of(
            FIRST,
            entry(GROWN),
            entry(8, Kind.ADD, 3),
            entry(filling),
            entry(10, Kind.ADD, 4),
            entry(filling.cutOver(11, 110)));
    image.apply(entries.subList(0, 5));
    assertThat(holding(image, NEXT)).containsExactly(3L, 4L);
    assertThat(holding(image, target)).containsExactly(4L);
    assertThat(image.arrays().lacking(new long[] {3, 4})).containsExactly(true, false);
    image.apply(entries);
    assertThat(image.arrays().manifest().all()).singleElement().matches(target::isSameAs);
    assertThat(found(image)).containsExactly(4L);
  }

  @Test
  void aGenerationThatBeganDuringAReplacementOutlivesTheCutover() {
    List<JournalEntry> entries = new ArrayList<>(REPLACED_AND_GROWN);
    Manifest cutOver = GROWN_MEANWHILE.cutOver(15, 150);
    entries.add(entry(cutOver));
    entries.add(entry(16, Kind.ADD, 9));
    Image loadedBefore = image(GROWN_MEANWHILE);
    Image loadedAfter = image(cutOver);
    for (Image one : List.of(image, loadedBefore, loadedAfter)) {
      assertThat(one.apply(entries)).isTrue();
      assertThat(one.arrays().manifest()).isEqualTo(cutOver);
      assertThat(holding(one, NEXT)).containsExactly(1L, 3L, 4L, 7L, 8L);
      assertThat(holding(one, THIRD)).containsExactly(5L, 6L, 9L);
      assertThat(found(one)).containsExactly(1L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
      assertThat(one.arrays().lacking(new long[] {2})).isNull();
      assertThat(one.isRecorded(5)).isTrue();
    }
    assertThat(cutOver.read()).hasSize(2).last().isEqualTo(THIRD);
    assertThat(cutOver.read()).first().matches(NEXT::isSameAs);
  }

  @Test
  void aGenerationThatBeganDuringAReplacementStaysWhenThatIsGivenUp() {
    List<JournalEntry> entries = new ArrayList<>(REPLACED_AND_GROWN);
    Manifest givenUp = GROWN_MEANWHILE.givenUp(15, 150);
    entries.add(entry(givenUp));
    entries.add(entry(16, Kind.ADD, 9));
    GenerationRecord fourth = generation(4, 17);
    Manifest refilling = givenUp.filling(fourth);
    Image loadedAfter = image(givenUp);
    Image loadedInTheNext = image(refilling);
    for (Image one : List.of(image, loadedAfter, loadedInTheNext)) {
      assertThat(one.apply(entries)).isTrue();
      assertThat(one.arrays().manifest().read()).containsExactly(FIRST_GENERATION, THIRD);
      assertThat(holding(one, FIRST_GENERATION)).containsExactly(1L, 2L, 3L);
      assertThat(holding(one, THIRD)).containsExactly(5L, 6L, 9L);
      assertThat(found(one)).containsExactly(1L, 2L, 3L, 5L, 6L, 9L);
    }
    assertThat(image.arrays().manifest()).isEqualTo(givenUp);
    for (Image one : List.of(image, loadedInTheNext)) {
      one.apply(List.of(entry(refilling), entry(18, Kind.ADD, 4)));
      assertThat(holding(one, fourth)).as("what the next attempt has").containsExactly(4L);
      assertThat(holding(one, THIRD)).containsExactly(4L, 5L, 6L, 9L);
      assertThat(one.arrays().lacks(5)).as("in what the next attempt replaces").isTrue();
      one.apply(List.of(entry(refilling.cutOver(19, 190))));
      assertThat(found(one)).containsExactly(4L);
    }
  }

  @Test
  void anImageRefusesAnEntryThatClearedTheFilter() {
    Manifest cleared = MADE.cleared(NEXT);
    assertThat(image.apply(List.of(FIRST, entry(cleared), entry(8, Kind.ADD, 3)))).isFalse();
    assertThat(image.cursor()).isEqualTo(new Cursor(6, 60));
    assertThat(image.arrays().manifest()).isEqualTo(MADE);
    assertThat(found(image)).containsExactly(1L, 2L);
    assertThat(image.apply(List.of(entry(cleared)))).as("however often").isFalse();
  }

  @Test
  void anImageKnowsWhichEntriesSayThatTheFilterWasCleared() {
    Manifest cleared = CUT_OVER.cleared(generation(3, 12));
    Manifest grown = cleared.grown(generation(4, 13));
    image.apply(REPLACED.subList(0, 4));
    assertThat(image.isClearedBy(entry(cleared))).isTrue();
    assertThat(image.isClearedBy(entry(grown))).as("before").isTrue();
    assertThat(REPLACED).noneMatch(image::isClearedBy);
    assertThat(image.isClearedBy(entry(GROWN_MEANWHILE))).isFalse();
    assertThat(image.isClearedBy(entry(FILLING.givenUp(10, 100)))).isFalse();
    assertThat(image.isClearedBy(entry(12, Kind.ADD, 1))).isFalse();

    Image loadedAfter = image(cleared);
    assertThat(loadedAfter.isClearedBy(entry(cleared))).isFalse();
    assertThat(loadedAfter.isClearedBy(entry(grown))).isFalse();
    assertThat(loadedAfter.isClearedBy(entry(grown.cleared(generation(5, 14))))).isTrue();
  }

  @Test
  void anImageThatWasLoadedAfterAClearSkipsOlderEntries() {
    GenerationRecord sole = generation(4, 15);
    Manifest cleared = GROWN_MEANWHILE.cleared(sole);
    List<JournalEntry> entries = new ArrayList<>(REPLACED_AND_GROWN);
    entries.add(entry(cleared));
    entries.add(entry(16, Kind.ADD, 8, 9));
    entries.add(entry(17, Kind.FILL, 7));
    Image loaded = image(cleared);
    assertThat(loaded.apply(entries.subList(0, 9))).isTrue();
    assertThat(found(loaded)).isEmpty();
    assertThat(loaded.cursor()).isEqualTo(new Cursor(14, 140));
    assertThat(loaded.apply(entries)).isTrue();
    assertThat(loaded.cursor()).isEqualTo(new Cursor(17, 170));
    assertThat(loaded.arrays().manifest()).isEqualTo(cleared);
    assertThat(holding(loaded, sole)).isEqualTo(found(loaded)).containsExactly(8L, 9L);
    assertThat(image.apply(entries)).as("loaded before").isFalse();
  }

  @Test
  void removalsFromBeforeAClearMeanNothingAfterIt() {
    Manifest cleared = MADE.cleared(NEXT);
    Image loaded = Journaled.image(false, true, false, cleared);
    assertThat(
            loaded.apply(
                List.of(
                    entry(6, Kind.REMOVE, 1, 2),
                    entry(cleared),
                    entry(8, Kind.ADD, 1, 3),
                    entry(9, Kind.REMOVE, 3))))
        .isTrue();
    assertThat(found(loaded)).containsExactly(1L);
    assertThat(loaded.arrays().removedBy(new long[] {1, 2, 3})).containsExactly(0, 0, 9);
  }

  @Test
  void removalsFromBeforeAReplacementMeanNothingOnceItIsDone() {
    Manifest grown = FILLING.grown(generation(3, 9));
    Manifest cutOver = grown.cutOver(12, 120);
    List<JournalEntry> entries =
        List.of(
            entry(6, Kind.REMOVE, 1),
            entry(FILLING),
            entry(8, Kind.REMOVE, 2),
            entry(grown),
            entry(10, Kind.REMOVE, 3),
            entry(11, Kind.RETURN, 2),
            entry(cutOver));
    Image removing = Journaled.image(false, true, false, MADE);
    removing.apply(entries.subList(0, 5));
    long[] hashes = {1, 2, 3};
    assertThat(removing.arrays().removedBy(hashes)).containsExactly(6, 8, 10);
    removing.apply(entries);
    Image loaded = Journaled.image(false, true, false, cutOver);
    loaded.apply(entries);
    for (Image one : List.of(removing, loaded)) {
      assertThat(one.arrays().removedBy(hashes)).containsExactly(0, 0, 10);
      assertThat(found(one)).as("2 has its bits in what was filled").containsExactly(2L);
    }
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
    JournalEntry other = new JournalEntry(6, 61, 49, Kind.ADD, new long[] {1}, null, null);
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
    JournalEntry begins = entry(MADE.grown(generation(2, 8)));
    assertThat(image.apply(List.of(begins, merging(9, FIRST_GENERATION, 4)))).isTrue();
    assertThat(image.contains(4)).isTrue();
    assertThat(image.apply(List.of(merging(10, generation(2, 8), 5)))).isTrue();
    assertThat(image.contains(5)).isTrue();
  }

  @Test
  void mergedBitsOfAMissingGenerationAreDropped() {
    // Lost in a failover and begun once more, it has another token; and so it has where a clear
    // recreated it.
    GenerationRecord other = generation(1, 3);
    assertThat(image.apply(List.of(merging(6, other, 1), merging(7, NEXT, 2)))).isTrue();
    assertThat(image.contains(1)).isFalse();
    assertThat(image.contains(2)).isFalse();
  }
}
