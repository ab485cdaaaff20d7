package io.github.slotbloom.cli.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.cli.page.Notice.Level;
import io.github.slotbloom.core.OnFull;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is said about a filter. */
class AdviceTest {

  private final Examples filter = new Examples();

  @Test
  void aHealthyFilterGetsNoAdvice() {
    assertThat(filter.advice()).isEmpty();
    assertThat(condition()).startsWith("Healthy. 50\u00a0% of the capacity is used");
  }

  @Test
  void aFilterThatGrowsAutomaticallyNeedsNoAction() {
    filter.keysAdded = 9_000;
    Notice only = onlyNotice(Level.NOTE);
    assertThat(only.title()).isEqualTo("The filter is nearly full");
    assertThat(only.text()).contains("9,000 of 10,000\u00a0keys", "grows automatically");
    assertThat(only.commands()).isEmpty();
    assertThat(condition()).startsWith("Healthy, nearly full.");
  }

  @Test
  void aFilterThatCouldNotGrowIsToldToGrow() {
    filter.keysAdded = 10_100;
    Notice only = onlyNotice(Level.WARNING);
    assertThat(only.text()).contains("It could not grow automatically");
    assertThat(only.commands()).containsExactly("slotbloom grow words --capacity 20200");
    assertThat(condition()).startsWith("Overfull.");
  }

  @Test
  void aFixedFilterThatRefusesIsToBeReplaced() {
    filter.keysAdded = 10_000;
    filter.growable = false;
    filter.onFull = OnFull.REFUSE;
    Notice only = onlyNotice(Level.WARNING);
    assertThat(only.title()).isEqualTo("The filter is full");
    assertThat(only.text()).contains("New keys are rejected.", "created with --fixed");
    assertThat(only.commands())
        .containsExactly("slotbloom grow words --capacity 20000 --from FILE");
    assertThat(condition()).startsWith("Full.");
  }

  @Test
  void anFalsePositiveRateAboveItsTargetIsShownWithTheTarget() {
    filter.keysAdded = 20_000;
    filter.onFull = OnFull.DEGRADE;
    assertThat(titles())
        .containsExactly("The false positive rate is above its target", "The filter is full");
    // Growing would not undo it, so neither says to grow.
    assertThat(filter.advice())
        .extracting(Notice::commands)
        .containsOnly(List.of("slotbloom grow words --capacity 40000 --from FILE"));
    assertThat(filter.advice().get(0).text())
        .contains(Notation.rate(filter.info().currentFalsePositiveRate()), "target is 0.1\u00a0%");
  }

  @Test
  void saturationMakesAnEstimateALowerBound() {
    filter.keysAdded = 100_000;
    filter.onFull = OnFull.DEGRADE;
    assertThat(titles()).contains("Bits are saturated");
  }

  @Test
  void removedKeysCountUntilTheFilterIsRebuilt() {
    filter.removableKeys = 2_500;
    filter.keysRemoved = 1_999;
    assertThat(filter.advice()).isEmpty();
    filter.keysRemoved = 2_000;
    Notice only = onlyNotice(Level.WARNING);
    assertThat(only.title()).isEqualTo("Removed keys take up most of the room");
    assertThat(only.text()).startsWith("2,000 of 2,500\u00a0keys have been removed.");
    assertThat(only.commands())
        .containsExactly("slotbloom grow words --capacity 10000 --from FILE");
    filter.keysRemoved = 2_500;
    filter.onFull = OnFull.DEGRADE;
    assertThat(titles()).containsExactly("No more keys can be removed");
    filter.retainHashes = true;
    filter.keysAdded = 2_500;
    only = onlyNotice(Level.WARNING);
    assertThat(only.text()).endsWith("if it can create and drop tables.");
    assertThat(only.commands())
        .containsExactly("slotbloom grow words --capacity 10000 --from-journal");
  }

  @Test
  void aFilterMayBeFullOfRemovedKeys() {
    filter.retainHashes = true;
    filter.removableKeys = 10_000;
    filter.keysRemoved = 4_000;
    filter.generation(10_000, 0.0005, 9_000);
    Notice only = onlyNotice(Level.NOTE);
    assertThat(only.title()).isEqualTo("The filter is nearly full");
    assertThat(only.text()).contains("9,000 of 10,000\u00a0keys, including removed ones.");
  }

  @Test
  void fewerBitsThanKeysNeedAttention() {
    filter.lostKeys = 1_000;
    assertThat(titles()).containsExactly("The set bits account for fewer keys than were added");
    assertThat(condition()).startsWith("Needs attention.");
  }

  @Test
  void unfoldedEntriesExplainMissingBits() {
    filter.lostKeys = 1_000;
    filter.unfolded = 3;
    Notice only = onlyNotice(Level.NOTE);
    assertThat(only.text()).startsWith("The bits of 3 journal entries are not in");
    assertThat(only.commands()).containsExactly("slotbloom fold words");
    filter.lag = Duration.ofMinutes(90);
    assertThat(filter.advice().get(0).level()).isEqualTo(Level.WARNING);
    assertThat(filter.advice().get(0).text())
        .endsWith("The oldest has been waiting for 90\u00a0minutes.");
    filter.lag = Duration.ZERO;
    filter.unfolded = 20_000;
    assertThat(filter.advice().get(0).level()).isEqualTo(Level.WARNING);
  }

  @Test
  void lostBitsAreDamage() {
    filter.capacity = 100_000;
    filter.keysAdded = 70_000;
    filter.changed(slots -> Arrays.fill(slots, 800, 1_000, 0));
    assertThat(filter.advice()).extracting(Notice::level).containsOnly(Level.DAMAGE);
    assertThat(titles())
        .containsExactly(
            "200\u00a0rows missing in bloom_bits_words_v1",
            "Slots of bloom_bits_words_v1 are emptier than chance explains");
    assertThat(condition()).startsWith("Damaged.");
  }

  @Test
  void bitsThatWereSetAreAWarning() {
    filter.capacity = 100_000;
    filter.keysAdded = 70_000;
    filter.changed(slots -> Arrays.fill(slots, 800, 880, 0x7777_7777_7777_7777L));
    assertThat(titles())
        .containsExactly("Slots of bloom_bits_words_v1 are fuller than chance explains");
  }

  @Test
  void manyGenerationsAreShown() {
    filter.capacity = 50_000;
    filter.keysAdded = 25_000;
    for (int number = 1; number <= 5; number++) {
      filter.generation(10_000, Math.scalb(0.001, -number), 5_000);
    }
    assertThat(titles()).containsExactly("The filter has 5 generations");
  }

  @Test
  void aWindowIsHealthyHoweverManyBucketsItHas() {
    filter.week(800, 700, 800, 900, 800, 800, 800, 500);
    assertThat(filter.advice()).isEmpty();
    assertThat(condition()).startsWith("Healthy. 50\u00a0% of the current bucket is used");
  }

  @Test
  void theBucketOfAWindowThatGrowsNeedsNoAction() {
    filter.week(500, 900);
    Notice only = onlyNotice(Level.NOTE);
    assertThat(only.title()).isEqualTo("The current bucket is nearly full");
    assertThat(only.text()).contains("900 of 1,000\u00a0keys", "It grows automatically");
  }

  @Test
  void aBucketThatRefusesIsAWarningWithoutACommandToGrow() {
    filter.onFull = OnFull.REFUSE;
    filter.week(500, 1000);
    Notice only = onlyNotice(Level.WARNING);
    assertThat(only.title()).isEqualTo("The current bucket is full");
    assertThat(only.text())
        .contains("until the next bucket begins", "create a window with a larger capacity");
    assertThat(only.commands()).isEmpty();
    assertThat(condition()).startsWith("Full. 100\u00a0% of the current bucket");
  }

  @Test
  void aBucketWithTooManyKeysCannotBeGrownByHand() {
    filter.onFull = OnFull.DEGRADE;
    filter.week(500, 6_000);
    assertThat(filter.advice()).isNotEmpty().allMatch(notice -> notice.commands().isEmpty());
    assertThat(titles())
        .contains("The false positive rate is above its target", "The current bucket is full");
  }

  @Test
  void whatExpiredIsNotMissing() {
    filter.expired = 1;
    filter.week(900, 500, 100);
    Notice only = onlyNotice(Level.NOTE);
    assertThat(only.title()).isEqualTo("The keys of 1\u00a0generation expired");
    assertThat(condition()).startsWith("Healthy. 10\u00a0% of the current bucket");
  }

  @Test
  void aRunningReplacementIsShown() {
    filter.beingReplaced = true;
    filter.capacity = 10_000;
    filter.generation(10_000, 0.001, 5_000).generation(20_000, 0.001, 100);
    assertThat(titles()).containsExactly("The filter is being replaced");
  }

  @Test
  void aFullFilterCannotGrowWhileItIsReplaced() {
    filter.beingReplaced = true;
    filter.capacity = 5_000;
    filter.keysAdded = 5_000;
    filter.generation(5_000, 0.001, 5_000).generation(20_000, 0.001, 100);
    assertThat(filter.advice())
        .filteredOn(notice -> notice.title().equals("The filter is full"))
        .singleElement()
        .satisfies(
            notice -> assertThat(notice.text()).contains("cannot grow while it is being replaced"));
  }

  private Notice onlyNotice(Level level) {
    assertThat(filter.advice()).extracting(Notice::level).containsExactly(level);
    return filter.advice().get(0);
  }

  private List<String> titles() {
    return filter.advice().stream().map(Notice::title).toList();
  }

  private String condition() {
    FilterInfo info = filter.info();
    Condition condition = Condition.of(info, new RateModel(info), filter.advice());
    return condition.word() + ". " + condition.sentence();
  }
}
