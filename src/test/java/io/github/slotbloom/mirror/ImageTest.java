package io.github.slotbloom.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.store.Cursor;
import io.github.slotbloom.store.GenerationRecord;
import io.github.slotbloom.store.JournalEntry;
import java.util.List;
import org.junit.jupiter.api.Test;

class ImageTest {

  private static final JournalEntry FIRST = new JournalEntry(6, 60, 50, new long[] {1, 2});
  private static final JournalEntry SECOND = new JournalEntry(7, 70, 60, new long[] {3});

  private final Image image =
      new Image(new FilterName("a"), 1, List.of(generation(1, 0)), new Cursor(5, 50));

  private static GenerationRecord generation(int number, long sinceSeq) {
    return new GenerationRecord(
        number,
        sinceSeq,
        sinceSeq == 0 ? 0 : 70,
        100,
        0.01,
        new BloomParameters(Layout.BLOCKED, 4096L * number, 6),
        "bloom_bits_a_v" + number);
  }

  @Test
  void takesInWhatContinuesIt() {
    assertThat(image.contains(1)).isFalse();
    assertThat(image.apply(List.of(FIRST, SECOND))).isTrue();
    assertThat(image.cursor()).isEqualTo(new Cursor(7, 70));
    assertThat(List.of(1L, 2L, 3L)).allMatch(image::contains);
  }

  @Test
  void answersForTheKeysOfARangeWhateverWasAnsweredBefore() {
    image.apply(List.of(FIRST, SECOND));
    boolean[] answers = {true, false, true, false, false};
    image.contains(new long[] {4, 1, 5, 2, 3}, 1, 4, answers);
    assertThat(answers).containsExactly(true, true, false, true, false);
  }

  @Test
  void laterKeysGoToTheGenerationThatAnEntryBegins() {
    JournalEntry begins = new JournalEntry(7, 70, 60, new long[0], generation(2, 7));
    JournalEntry later = new JournalEntry(8, 80, 70, new long[] {3});
    assertThat(image.apply(List.of(FIRST, begins, later))).isTrue();
    assertThat(image.newestGeneration().number()).isEqualTo(2);
    assertThat(List.of(1L, 2L, 3L)).allMatch(image::contains);
    boolean[] answers = new boolean[4];
    image.contains(new long[] {1, 3, 4, 2}, 0, 4, answers);
    assertThat(answers).containsExactly(true, true, false, true);
  }

  @Test
  void eachEntryGoesToItsOwnGenerationWhereALaterOneIsKnownAlready() {
    JournalEntry begins = new JournalEntry(7, 70, 60, new long[0], generation(2, 7));
    JournalEntry later = new JournalEntry(8, 80, 70, new long[] {3});
    Image loaded =
        new Image(
            new FilterName("a"), 1, List.of(generation(1, 0), generation(2, 7)), new Cursor(5, 50));
    assertThat(loaded.apply(List.of(FIRST, begins, later))).isTrue();
    image.apply(List.of(FIRST, begins, later));
    for (long slot = 0; slot < 64; slot++) {
      assertThat(loaded.bits(0, slot)).as("slot " + slot).isEqualTo(image.bits(0, slot));
      assertThat(loaded.bits(1, slot)).as("slot " + slot).isEqualTo(image.bits(1, slot));
    }
    assertThat(loaded.newestGeneration()).isEqualTo(image.newestGeneration());
  }

  @Test
  void passesOverWhatItHasAlready() {
    image.apply(List.of(FIRST));
    assertThat(image.apply(List.of(FIRST, SECOND))).isTrue();
    assertThat(image.cursor()).isEqualTo(new Cursor(7, 70));
  }

  @Test
  void refusesAGap() {
    assertThat(image.apply(List.of(SECOND))).isFalse();
    assertThat(image.cursor()).isEqualTo(new Cursor(5, 50));
    assertThat(image.contains(3)).isFalse();
  }

  @Test
  void refusesRewrittenHistory() {
    JournalEntry other = new JournalEntry(6, 61, 49, new long[] {1});
    assertThat(image.apply(List.of(other))).isFalse();
    assertThat(image.contains(1)).isFalse();
  }

  @Test
  void isConfirmedOnlyUpToWhatADurableCommitFollowed() {
    assertThat(image.confirmed()).isFalse();
    image.confirm(5);
    assertThat(image.confirmed()).isTrue();
    image.apply(List.of(FIRST));
    assertThat(image.confirmed()).isFalse();
    image.confirm(6);
    assertThat(image.confirmed()).isTrue();
  }
}
