package io.github.slotbloom.reliability;

import static io.github.slotbloom.reliability.Operation.NEVER;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.reliability.HistoryChecker.Final;
import io.github.slotbloom.reliability.Operation.Answer;
import io.github.slotbloom.reliability.Operation.Kind;
import java.util.List;
import java.util.Map;
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
  void aStrictLookupThatMissesAWonKeyIsFound() {
    assertFound("Lost", Set.of(KEY), add(1, 2, Answer.NEW), ask(3, 4, Answer.NO));
  }

  @Test
  void aStrictLookupThatMissesASeenKeyIsFound() {
    assertFound(
        "Lost", Set.of(KEY), add(1, 9, Answer.NEW), add(2, 3, Answer.SEEN), ask(4, 5, Answer.NO));
  }

  @Test
  void aLookupThatMissesAVisibleKeyIsFoundIfVisibleIsDurable() {
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
      assertThat(check(history, Set.of(), 0, true).violations()).hasSize(1);
    }
    assertThat(check(List.of(ask(2, 3, Answer.YES)), Set.of(), 0, false).violations())
        .anyMatch(violation -> violation.startsWith("Nobody added it"));
  }

  @Test
  void aBoundedLookupMayMissKeysWithinItsBound() {
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
                new Final(0, key -> 0, key -> KeyEntries.NONE, key -> true, key -> true),
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

  @Test
  void whileAFilterIsClearedAnswersMayComeFromMemory() {
    assertFine(
        Set.of(), add(1, 2, Answer.NEW), clear(3, 9), ask(4, 5, Answer.NO), ask(6, 7, Answer.YES));
    assertFine(
        Set.of(), add(1, 2, Answer.NEW), clear(3, 9), ask(4, 5, Answer.NO), add(6, 7, Answer.SEEN));
    assertFound("Two winners", Set.of(), add(1, 2, Answer.NEW), add(6, 7, Answer.NEW), clear(8, 9));
  }

  @Test
  void aClearThatFailedMayHaveHadItsEffectBefore() {
    Operation failed = new Operation(Kind.CLEAR, Answer.FAILED, 0, 3, 6, 0, 0);
    assertFine(Set.of(KEY), add(1, 2, Answer.NEW), failed, ask(7, 8, Answer.YES));
    assertFine(Set.of(), add(1, 2, Answer.NEW), failed, ask(7, 8, Answer.NO));
    assertFine(Set.of(KEY), add(1, 2, Answer.NEW), failed, add(7, 8, Answer.NEW));
    assertThat(
            check(
                    List.of(
                        add(1, 2, Answer.NEW),
                        failed,
                        add(7, 8, Answer.NEW),
                        add(9, 10, Answer.NEW)),
                    Set.of(KEY),
                    1,
                    true)
                .violations())
        .anyMatch(violation -> violation.startsWith("Two winners"));
  }

  @Test
  void aRemovedKeyIsMissingAndNewAgain() {
    assertFine(
        entries(2, 1),
        add(1, 2, Answer.NEW),
        remove(3, 8, Answer.REMOVED),
        remove(4, 9, Answer.ABSENT),
        ask(5, 10, Answer.YES),
        ask(11, 12, Answer.NO),
        remove(13, 14, Answer.ABSENT),
        add(15, 18, Answer.NEW),
        ask(16, 19, Answer.NO),
        add(20, 21, Answer.SEEN));
  }

  @Test
  void aKeyAnsweredAfterItsRemovalIsFound() {
    assertFound(
        "Removed",
        entries(1, 1),
        add(1, 2, Answer.NEW),
        remove(3, 4, Answer.REMOVED),
        ask(5, 6, Answer.YES));
    assertFound(
        "Removed",
        entries(1, 1),
        add(1, 2, Answer.NEW),
        remove(3, 4, Answer.REMOVED),
        add(5, 6, Answer.SEEN));
    // Also if it was already gone for the caller who asks.
    assertFound(
        "Removed",
        entries(1, 1),
        add(1, 2, Answer.NEW),
        remove(3, 10, Answer.REMOVED),
        ask(4, 5, Answer.NO),
        ask(6, 7, Answer.YES));
  }

  @Test
  void anAddThatIsLostAfterTheKeyCameBackIsFound() {
    assertFound(
        "Lost",
        entries(2, 1),
        add(1, 2, Answer.NEW),
        remove(3, 4, Answer.REMOVED),
        add(5, 6, Answer.NEW),
        ask(7, 8, Answer.NO));
    assertFound(
        "Lost",
        entries(2, 1),
        add(1, 2, Answer.NEW),
        remove(3, 4, Answer.REMOVED),
        add(5, 6, Answer.NEW),
        remove(7, 8, Answer.ABSENT));
    assertFound(
        "Acknowledged, but not in the journal",
        entries(1, 1),
        add(1, 2, Answer.NEW),
        remove(3, 4, Answer.REMOVED),
        add(5, 6, Answer.NEW));
  }

  @Test
  void twoRemoversNeedAnAddBetween() {
    for (long begun : new long[] {3, 6}) {
      assertFound(
          "Two removers",
          entries(1, 2),
          add(1, 2, Answer.NEW),
          remove(3, 5, Answer.REMOVED),
          remove(begun, begun + 3, Answer.REMOVED));
    }
    assertFine(
        entries(2, 2),
        add(1, 2, Answer.NEW),
        remove(3, 5, Answer.REMOVED),
        add(4, 5, Answer.NEW),
        remove(3, 6, Answer.REMOVED));
    assertFound("Nobody added it", entries(0, 1), remove(1, 2, Answer.REMOVED));
  }

  @Test
  void winnersNeedARemovalBetween() {
    assertFine(
        entries(3, 2),
        add(1, 7, Answer.NEW),
        add(1, 8, Answer.NEW),
        add(1, 9, Answer.NEW),
        remove(1, 8, Answer.REMOVED),
        remove(1, 9, Answer.REMOVED));
    assertFound(
        "Two winners",
        entries(3, 1),
        add(1, 7, Answer.NEW),
        add(1, 8, Answer.NEW),
        add(1, 9, Answer.NEW),
        remove(1, 9, Answer.REMOVED));
    assertFound(
        "Two winners",
        entries(2, 1),
        add(1, 2, Answer.NEW),
        add(3, 4, Answer.NEW),
        remove(5, 6, Answer.REMOVED));
  }

  @Test
  void anUnansweredRemovalMayHaveTakenTheKeyOut() {
    Operation unheard = remove(3, NEVER, Answer.NONE);
    assertFine(entries(1, 1), add(1, 2, Answer.NEW), unheard, ask(4, 5, Answer.NO));
    assertFine(entries(1, 0), add(1, 2, Answer.NEW), unheard, ask(4, 5, Answer.YES));
    assertFine(entries(1, 1), add(1, 2, Answer.NEW), unheard, ask(4, 5, Answer.YES));
    assertFine(entries(2, 1), add(1, 2, Answer.NEW), unheard, add(4, 5, Answer.NEW));
    assertFound(
        "Lost",
        entries(2, 1),
        add(1, 2, Answer.NEW),
        unheard,
        add(4, 5, Answer.NEW),
        ask(6, 7, Answer.NO));
    assertFound(
        "Lost",
        entries(1, 1),
        add(1, 2, Answer.NEW),
        remove(3, 4, Answer.NOT_RECORDED),
        ask(5, 6, Answer.NO));
  }

  @Test
  void anUnansweredAddBringsAKeyBackOnceOnly() {
    Operation unheard = add(1, NEVER, Answer.NONE);
    assertFine(
        entries(2, 1),
        add(2, 3, Answer.NEW),
        remove(4, 5, Answer.REMOVED),
        unheard,
        ask(6, 7, Answer.NO),
        ask(8, 9, Answer.YES));
    assertFound(
        "Removed",
        entries(2, 2),
        unheard,
        add(2, 3, Answer.NEW),
        remove(4, 5, Answer.REMOVED),
        ask(6, 7, Answer.YES),
        remove(8, 9, Answer.REMOVED),
        ask(10, 11, Answer.YES));
  }

  @Test
  void aBoundedLookupMayShowWhatWasRemovedWithinItsBound() {
    Findings findings =
        check(
            List.of(
                add(1, 2, Answer.NEW),
                remove(3, 20, Answer.REMOVED),
                bounded(29, 31, 10, Answer.YES)),
            entries(1, 1));
    assertThat(findings.violations()).isEmpty();
    assertThat(findings.staleness().at(1)).isEqualTo(9);
    assertFound(
        "Removed",
        entries(1, 1),
        add(1, 2, Answer.NEW),
        remove(3, 20, Answer.REMOVED),
        bounded(31, 32, 10, Answer.YES));
    // It looked before the add, after the removal, or between them.
    assertFine(
        entries(2, 1),
        add(1, 2, Answer.NEW),
        remove(13, 14, Answer.REMOVED),
        add(15, 16, Answer.NEW),
        bounded(20, 21, 10, Answer.NO));
    assertFound(
        "Lost",
        entries(2, 1),
        add(1, 2, Answer.NEW),
        remove(13, 14, Answer.REMOVED),
        add(15, 16, Answer.NEW),
        bounded(27, 28, 10, Answer.NO));
  }

  @Test
  void theEndMustFollowFromTheCalls() {
    Operation[] gone = {add(1, 2, Answer.NEW), remove(3, 4, Answer.REMOVED)};
    assertFine(entries(1, 1), gone);
    assertFound("Acknowledged, but not in the journal", entries(1, 0), gone);
    assertFound("Acknowledged, but not in the journal", KeyEntries.NONE, gone);
    assertFound("Acknowledged, but not in the journal", entries(2, 1), gone);
    assertFound("The journal holds 1 removals", entries(1, 1), add(1, 2, Answer.NEW));
    assertFound("The journal holds 2 adds", entries(2, 2), gone);
    assertThat(
            new HistoryChecker(
                    List.of(gone),
                    new Final(1, key -> 1, key -> entries(1, 1), key -> true, key -> false),
                    true)
                .check()
                .violations())
        .singleElement()
        .asString()
        .contains("The newest entry is REMOVED", "is there");
  }

  @Test
  void theCountIsThatOfTheJournal() {
    List<Operation> history =
        List.of(add(1, 2, Answer.NEW), remove(3, 4, Answer.REMOVED), add(5, 6, Answer.NEW));
    KeyEntries back = new KeyEntries(2, 1, KeyState.ADDED);
    for (long count : new long[] {0, 1, 2}) {
      Final end = new Final(count, key -> 1, key -> back, key -> true, key -> false);
      assertThat(new HistoryChecker(history, end, true).check().violations().isEmpty())
          .as("count %d", count)
          .isEqualTo(count == 1);
    }
  }

  @Test
  void aClearTakesRemovalsToo() {
    assertFine(
        KeyEntries.NONE,
        add(1, 2, Answer.NEW),
        remove(3, 4, Answer.REMOVED),
        clear(5, 6),
        ask(7, 8, Answer.NO));
    assertFine(
        entries(1, 0),
        add(1, 2, Answer.NEW),
        remove(3, 4, Answer.REMOVED),
        clear(5, 8),
        add(6, 7, Answer.NEW));
    // The removal came before the clear, or after it and another add.
    assertFine(KeyEntries.NONE, add(1, 2, Answer.NEW), remove(3, 9, Answer.REMOVED), clear(3, 9));
    assertFine(
        entries(1, 1),
        add(1, 2, Answer.NEW),
        clear(3, 9),
        add(3, 9, Answer.NEW),
        remove(3, 9, Answer.REMOVED));
    assertFound(
        "Nobody added it",
        entries(0, 1),
        add(1, 2, Answer.NEW),
        clear(3, 4),
        remove(5, 6, Answer.REMOVED));
  }

  @Test
  void aFalsePositiveCanBeRemovedAndComesBackOnlyWhenItIsAdded() {
    Operation seen = add(1, 2, Answer.SEEN);
    Operation removed = remove(3, 4, Answer.REMOVED);
    assertFine(true, entries(0, 1), seen, removed, ask(5, 6, Answer.NO));
    assertFine(
        true,
        new KeyEntries(1, 1, KeyState.ADDED),
        seen,
        removed,
        add(5, 6, Answer.NEW),
        ask(7, 8, Answer.YES));
    assertFine(true, entries(1, 0), ask(1, 2, Answer.NO), add(3, 4, Answer.NEW));
    assertThat(check(true, List.of(seen, removed, ask(5, 6, Answer.YES)), entries(0, 1)))
        .anyMatch(violation -> violation.startsWith("Removed"));
    assertThat(check(true, List.of(seen, ask(3, 4, Answer.NO)), KeyEntries.NONE))
        .anyMatch(violation -> violation.startsWith("Lost"));
    assertThat(check(false, List.of(seen, removed), entries(0, 1)))
        .anyMatch(violation -> violation.startsWith("Nobody added it"));
    // The winner was later, so what was seen before was the false positive.
    assertFine(
        true,
        new KeyEntries(1, 1, KeyState.ADDED),
        add(1, 9, Answer.NEW),
        ask(2, 3, Answer.YES),
        remove(4, 5, Answer.REMOVED),
        ask(10, 11, Answer.YES));
  }

  @Test
  void whatOnlyLookupsSawMayBeTakenBackIfVisibleIsNotDurable() {
    List<Operation> noThenYes =
        List.of(
            add(1, 2, Answer.NEW),
            remove(3, NEVER, Answer.NONE),
            ask(4, 5, Answer.NO),
            ask(6, 7, Answer.YES));
    assertThat(violations(noThenYes, entries(1, 0), true)).isNotEmpty();
    assertThat(violations(noThenYes, entries(1, 0), false)).isEmpty();
    List<Operation> repeated =
        List.of(
            add(1, 2, Answer.NEW),
            remove(3, 8, Answer.REMOVED),
            ask(4, 5, Answer.NO),
            ask(6, 7, Answer.YES));
    assertThat(violations(repeated, entries(1, 1), true)).isNotEmpty();
    assertThat(violations(repeated, entries(1, 1), false)).isEmpty();
    // Who adds or removes hears only what lasts.
    for (Operation acknowledged :
        List.of(remove(4, 5, Answer.ABSENT), remove(4, 5, Answer.REMOVED))) {
      List<Operation> taken =
          List.of(
              add(1, 2, Answer.NEW),
              remove(3, NEVER, Answer.NONE),
              acknowledged,
              ask(6, 7, Answer.YES));
      assertThat(violations(taken, entries(1, 1), false))
          .anyMatch(violation -> violation.startsWith("Removed"));
    }
    // What was acknowledged before the lookup began is not taken back anymore.
    List<Operation> over =
        List.of(add(1, 2, Answer.NEW), remove(3, 4, Answer.REMOVED), ask(5, 6, Answer.YES));
    assertThat(violations(over, entries(1, 1), false))
        .anyMatch(violation -> violation.startsWith("Removed"));
  }

  @Test
  void aTransactionOfAddsAndRemovalsRecordedInPartIsFound() {
    List<Operation> history =
        List.of(
            add(1, 2, Answer.NEW),
            new Operation(Kind.REMOVE, Answer.NONE, KEY, 3, NEVER, 0, 5),
            new Operation(Kind.ADD, Answer.NONE, OTHER, 3, NEVER, 0, 5));
    KeyEntries none = KeyEntries.NONE;
    assertThat(halfDone(history, Map.of(KEY, entries(1, 1), OTHER, entries(1, 0)))).isFalse();
    assertThat(halfDone(history, Map.of(KEY, entries(1, 0), OTHER, none))).isFalse();
    assertThat(halfDone(history, Map.of(KEY, entries(1, 1), OTHER, none))).isTrue();
    assertThat(halfDone(history, Map.of(KEY, entries(1, 0), OTHER, entries(1, 0)))).isTrue();
  }

  @Test
  void aKeyThatCameAndWentInOneTransactionRecordedInPartIsFound() {
    List<Operation> history =
        List.of(
            new Operation(Kind.ADD, Answer.NONE, KEY, 1, NEVER, 0, 5),
            new Operation(Kind.REMOVE, Answer.NONE, KEY, 1, NEVER, 0, 5));
    assertThat(halfDone(history, Map.of(KEY, entries(1, 1)))).isFalse();
    assertThat(halfDone(history, Map.of(KEY, KeyEntries.NONE))).isFalse();
    assertThat(halfDone(history, Map.of(KEY, entries(1, 0)))).isTrue();
  }

  @Test
  void nothingFollowsForKeysThatOthersTouchMeanwhile() {
    List<Operation> history =
        List.of(
            add(1, 2, Answer.NEW),
            remove(1, 4, Answer.REMOVED),
            new Operation(Kind.REMOVE, Answer.NONE, KEY, 3, NEVER, 0, 5),
            new Operation(Kind.ADD, Answer.NONE, OTHER, 3, NEVER, 0, 5));
    assertThat(halfDone(history, Map.of(KEY, entries(1, 1), OTHER, entries(1, 0)))).isFalse();
  }

  private static boolean halfDone(List<Operation> history, Map<Long, KeyEntries> journaled) {
    Final end =
        new Final(
            journaled.values().stream().mapToLong(KeyEntries::adds).sum(),
            key -> journaled.get(key).adds(),
            journaled::get,
            key -> journaled.get(key).isThere(),
            key -> false);
    List<String> violations = new HistoryChecker(history, end, true).check().violations();
    assertThat(violations).allMatch(violation -> violation.startsWith("Half done"));
    return !violations.isEmpty();
  }

  private static Operation add(long invoked, long completed, Answer answer) {
    return new Operation(Kind.ADD, answer, KEY, invoked, completed, 0, 0);
  }

  private static Operation remove(long invoked, long completed, Answer answer) {
    return new Operation(Kind.REMOVE, answer, KEY, invoked, completed, 0, 0);
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

  private static KeyEntries entries(int adds, int removals) {
    KeyState newest = adds > removals ? KeyState.ADDED : KeyState.REMOVED;
    return new KeyEntries(adds, removals, newest);
  }

  private static void assertFine(Set<Long> journaled, Operation... history) {
    assertThat(check(List.of(history), journaled, journaled.size(), true).violations()).isEmpty();
  }

  private static void assertFine(KeyEntries journaled, Operation... history) {
    assertFine(false, journaled, history);
  }

  private static void assertFine(boolean othersCover, KeyEntries journaled, Operation... history) {
    assertThat(check(othersCover, List.of(history), journaled)).isEmpty();
  }

  private static void assertFound(String what, Set<Long> journaled, Operation... history) {
    assertThat(check(List.of(history), journaled, journaled.size(), true).violations())
        .anyMatch(violation -> violation.startsWith(what));
  }

  private static void assertFound(String what, KeyEntries journaled, Operation... history) {
    assertThat(check(List.of(history), journaled).violations())
        .anyMatch(violation -> violation.startsWith(what));
  }

  private static Findings check(
      List<Operation> history, Set<Long> journaled, long count, boolean visibleIsDurable) {
    Final end =
        new Final(
            count,
            key -> journaled.contains(key) ? 1 : 0,
            key -> journaled.contains(key) ? KeyEntries.NONE.added() : KeyEntries.NONE,
            journaled::contains,
            key -> false);
    return new HistoryChecker(history, end, visibleIsDurable).check();
  }

  private static Findings check(List<Operation> history, KeyEntries journaled) {
    return new HistoryChecker(history, end(journaled, false), true).check();
  }

  private static List<String> check(
      boolean othersCover, List<Operation> history, KeyEntries journaled) {
    return new HistoryChecker(history, end(journaled, othersCover), true).check().violations();
  }

  private static List<String> violations(
      List<Operation> history, KeyEntries journaled, boolean visibleIsDurable) {
    return new HistoryChecker(history, end(journaled, false), visibleIsDurable)
        .check()
        .violations();
  }

  private static Final end(KeyEntries journaled, boolean othersCover) {
    boolean member = journaled.isThere() || (journaled == KeyEntries.NONE && othersCover);
    return new Final(
        journaled.adds(),
        key -> journaled.adds(),
        key -> journaled,
        key -> member,
        key -> othersCover);
  }
}
