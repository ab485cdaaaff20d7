package io.github.slotbloom.reliability;

import static io.github.slotbloom.reliability.Operation.NEVER;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.reliability.HistoryChecker.Final;
import io.github.slotbloom.reliability.Operation.Answer;
import io.github.slotbloom.reliability.Operation.Kind;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The checker accepts what may happen, and finds each way in which a history can be wrong. */
class HistoryCheckerTest {

  private static final long KEY = 7;
  private static final long OTHER = 8;

  @Test
  void oneWinnerAndLaterAnswersAreFine() {
    assertFine(
        Set.of(KEY),
        ask(1, 2, Answer.NO),
        add(3, 6, Answer.NEW),
        add(4, 8, Answer.SEEN),
        ask(5, 9, Answer.NO),
        ask(7, 10, Answer.YES),
        ask(11, 12, Answer.YES));
  }

  @Test
  void aStrictQuestionThatMissesAWonKeyIsFound() {
    assertFound("Lost", Set.of(KEY), add(1, 2, Answer.NEW), ask(3, 4, Answer.NO));
  }

  @Test
  void aStrictQuestionThatMissesASeenKeyIsFound() {
    assertFound(
        "Lost", Set.of(KEY), add(1, 9, Answer.NEW), add(2, 3, Answer.SEEN), ask(4, 5, Answer.NO));
  }

  @Test
  void aQuestionThatMissesAVisibleKeyIsFoundIfVisibleIsDurable() {
    List<Operation> history =
        List.of(add(1, NEVER, Answer.NONE), ask(2, 3, Answer.YES), ask(4, 5, Answer.NO));
    assertThat(check(history, Set.of(KEY), 1, true).violations())
        .singleElement()
        .asString()
        .contains("Lost");
    assertThat(check(history, Set.of(KEY), 1, false).violations()).isEmpty();
  }

  @Test
  void aVisibleKeyMayVanishIfVisibleIsNotDurable() {
    for (Answer unheard : List.of(Answer.NONE, Answer.NOT_RECORDED)) {
      List<Operation> history = List.of(add(1, NEVER, unheard), ask(2, 3, Answer.YES));
      assertThat(check(history, Set.of(), 0, false).violations()).isEmpty();
      assertThat(check(history, Set.of(), 0, true).violations())
          .anyMatch(violation -> violation.startsWith("Nobody added it"));
    }
    assertThat(check(List.of(ask(2, 3, Answer.YES)), Set.of(), 0, false).violations())
        .anyMatch(violation -> violation.startsWith("Nobody added it"));
  }

  @Test
  void aBoundedQuestionMayMissKeysWithinItsBound() {
    Findings findings =
        check(
            List.of(add(1, 20, Answer.NEW), bounded(29, 31, 10, Answer.NO)), Set.of(KEY), 1, true);
    assertThat(findings.violations()).isEmpty();
    assertThat(findings.staleness().at(1)).isEqualTo(9);
    assertFound("Lost", Set.of(KEY), add(1, 20, Answer.NEW), bounded(31, 32, 10, Answer.NO));
  }

  @Test
  void twoWinnersAreFound() {
    assertFound("Two winners", Set.of(KEY), add(1, 4, Answer.NEW), add(2, 3, Answer.NEW));
    assertFound("Two winners", Set.of(KEY), add(1, 2, Answer.NEW), add(3, 4, Answer.NEW));
  }

  @Test
  void aKeyThatNobodyAddedIsFoundUnlessItIsAFalsePositive() {
    assertFound("Nobody added it", Set.of(), ask(1, 2, Answer.YES));
    assertFound("Nobody added it", Set.of(), add(1, 2, Answer.SEEN));
    Findings falsePositive =
        new HistoryChecker(
                List.of(add(1, 2, Answer.SEEN), ask(3, 4, Answer.YES)),
                new Final(0, key -> false, key -> true),
                true)
            .check();
    assertThat(falsePositive.violations()).isEmpty();
    assertThat(falsePositive.falsePositives()).isEqualTo(2);
  }

  @Test
  void aKeyThatIsSeenBeforeAnyoneAddsItIsFound() {
    assertFound("Nobody added it", Set.of(KEY), ask(1, 2, Answer.YES), add(3, 4, Answer.NEW));
  }

  @Test
  void keysOfARolledBackAddAreFound() {
    assertFound("Nobody added it", Set.of(), add(1, 2, Answer.NOT_RECORDED), ask(3, 4, Answer.YES));
    assertFound("In the journal, though", Set.of(KEY), add(1, 2, Answer.NOT_RECORDED));
  }

  @Test
  void anUnansweredAddMayHaveWon() {
    assertFine(
        Set.of(KEY), add(1, NEVER, Answer.NONE), ask(2, 3, Answer.NO), ask(4, 5, Answer.YES));
    assertFine(Set.of(), add(1, NEVER, Answer.NONE), ask(4, 5, Answer.NO));
    assertFine(Set.of(KEY), add(1, NEVER, Answer.NONE), add(2, 3, Answer.NEW));
  }

  @Test
  void anAcknowledgedKeyMissingInTheEndIsFound() {
    assertFound("Acknowledged, but not in the journal", Set.of(), add(1, 2, Answer.NEW));
  }

  @Test
  void aWrongCountIsFound() {
    List<Operation> history = List.of(add(1, 2, Answer.NEW), add(3, 4, Answer.SEEN));
    for (long count : new long[] {0, 2}) {
      assertThat(check(history, Set.of(KEY), count, true).violations())
          .as("count %d", count)
          .anyMatch(violation -> violation.contains("The catalog counts " + count));
    }
  }

  @Test
  void aTransactionRecordedInPartIsFound() {
    List<Operation> history =
        List.of(
            new Operation(Kind.ADD, Answer.NONE, KEY, 1, NEVER, 0, 5),
            new Operation(Kind.ADD, Answer.NONE, OTHER, 1, NEVER, 0, 5));
    assertThat(check(history, Set.of(KEY), 1, true).violations())
        .singleElement()
        .asString()
        .contains("Half done");
    assertThat(check(history, Set.of(KEY, OTHER), 2, true).violations()).isEmpty();
    assertThat(check(history, Set.of(), 0, true).violations()).isEmpty();
  }

  @Test
  void aClearMakesKeysNewAgain() {
    assertFine(
        Set.of(KEY),
        add(1, 2, Answer.NEW),
        clear(3, 6),
        ask(4, 5, Answer.YES),
        ask(7, 8, Answer.NO),
        add(9, 10, Answer.NEW));
    assertFine(Set.of(KEY), add(1, 4, Answer.NEW), clear(3, 6), add(5, 8, Answer.NEW));
  }

  @Test
  void aSlowAddMayHaveWonAfterAClear() {
    assertFine(Set.of(KEY), add(1, 10, Answer.NEW), add(2, 3, Answer.NEW), clear(4, 9));
    assertFine(
        Set.of(KEY),
        add(1, 20, Answer.NEW),
        add(2, 20, Answer.NEW),
        add(3, 4, Answer.NEW),
        clear(5, 6),
        clear(7, 8));
    assertFound(
        "Two winners",
        Set.of(KEY),
        add(1, 20, Answer.NEW),
        add(2, 6, Answer.NEW),
        add(3, 4, Answer.NEW),
        clear(7, 8),
        clear(9, 10));
  }

  @Test
  void aKeySeenAfterAClearIsFound() {
    assertFound(
        "Nobody added it", Set.of(), add(1, 2, Answer.NEW), clear(3, 4), ask(5, 6, Answer.YES));
    assertFound(
        "Nobody added it", Set.of(), add(1, 2, Answer.NEW), clear(3, 4), add(5, 6, Answer.SEEN));
  }

  @Test
  void aLossAfterAClearIsFound() {
    assertFound("Lost", Set.of(KEY), clear(1, 2), add(3, 4, Answer.NEW), ask(5, 6, Answer.NO));
  }

  @Test
  void oneClearAllowsOneMoreWinnerOnly() {
    assertFound(
        "Two winners",
        Set.of(KEY),
        add(1, 4, Answer.NEW),
        clear(3, 12),
        add(5, 8, Answer.NEW),
        add(9, 11, Answer.NEW));
  }

  private static Operation add(long invoked, long completed, Answer answer) {
    return new Operation(Kind.ADD, answer, KEY, invoked, completed, 0, 0);
  }

  private static Operation ask(long invoked, long completed, Answer answer) {
    return bounded(invoked, completed, 0, answer);
  }

  private static Operation bounded(long invoked, long completed, long bound, Answer answer) {
    return new Operation(Kind.ASK, answer, KEY, invoked, completed, bound, 0);
  }

  private static Operation clear(long invoked, long completed) {
    return new Operation(Kind.CLEAR, Answer.CLEARED, 0, invoked, completed, 0, 0);
  }

  private static void assertFine(Set<Long> journaled, Operation... history) {
    assertThat(check(List.of(history), journaled, journaled.size(), true).violations()).isEmpty();
  }

  private static void assertFound(String what, Set<Long> journaled, Operation... history) {
    assertThat(check(List.of(history), journaled, journaled.size(), true).violations())
        .anyMatch(violation -> violation.startsWith(what));
  }

  private static Findings check(
      List<Operation> history, Set<Long> journaled, long count, boolean visibleIsDurable) {
    return new HistoryChecker(
            history, new Final(count, journaled::contains, journaled::contains), visibleIsDurable)
        .check();
  }
}
