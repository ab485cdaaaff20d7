package io.github.slotbloom.reliability;

import static java.util.Comparator.comparingLong;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.github.slotbloom.reliability.Operation.Answer;
import io.github.slotbloom.reliability.Operation.Kind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;
import java.util.function.LongToIntFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Looks for what cannot have happened if the promises hold, in what the callers of all processes
 * saw and what was in the database at the end.
 *
 * <p>A filter is a set of keys that are added, removed, and all cleared at once. So for each key
 * there must be an order of all calls in which every answer is right, and that leads to what is in
 * the journal: see {@link KeyOrder}.
 */
public final class HistoryChecker {

  /**
   * What was in the database when all was over.
   *
   * @param keysAdded the count in the catalog
   * @param timesCounted how often it should count a key, by the journal
   * @param journaled what the journal holds of a key; it must be whole
   * @param member whether a new reader of the tables finds the key
   * @param othersCover whether the bits of other keys make a false positive of that key, unless it
   *     is removed; false for all keys of a filter in which none is to be expected
   */
  record Final(
      long keysAdded,
      LongToIntFunction timesCounted,
      LongFunction<KeyEntries> journaled,
      LongPredicate member,
      LongPredicate othersCover) {}

  private static final int MOST_TOLD = 20;

  private final List<Operation> clears;
  private final Map<Long, List<Operation>> byKey;
  private final Collection<List<Operation>> batches;
  private final Final end;
  private final boolean visibleIsDurable;
  private final Map<Answer, Long> answers;
  private final List<String> violations = new ArrayList<>();
  private final LongQuantiles staleness = new LongQuantiles();
  private long violated;
  private long winners;
  private long possibleWinners;
  private long journaledKeys;
  private long falsePositives;

  /**
   * @param visibleIsDurable whether what a lookup saw outlives a crash of the server; if not, only
   *     adds and removals show what must last
   */
  HistoryChecker(List<Operation> history, Final end, boolean visibleIsDurable) {
    this.end = end;
    this.visibleIsDurable = visibleIsDurable;
    answers = history.stream().collect(groupingBy(Operation::answer, counting()));
    clears =
        history.stream()
            .filter(o -> o.kind() == Kind.CLEAR)
            .sorted(comparingLong(Operation::invoked))
            .toList();
    byKey =
        history.stream()
            .filter(o -> o.kind() != Kind.CLEAR)
            .collect(groupingBy(Operation::key, HashMap::new, toList()));
    batches =
        history.stream()
            .filter(o -> o.batch() != 0 && o.answer() == Answer.NONE)
            .collect(groupingBy(Operation::batch))
            .values();
  }

  /**
   * Returns what cannot have happened in a history that ended in a state, a sentence each. Every
   * key must have bits that others do not cover.
   *
   * @param merged a key that comes by merges alone, whose bits are in the slots and have no entry
   */
  public static List<String> violations(List<Operation> history, FilterState end, long merged) {
    LongPredicate member = key -> end.contains(end.hash(key));
    LongFunction<KeyEntries> entries =
        key ->
            key != merged
                ? end.entries(key)
                : member.test(key) ? KeyEntries.NONE.added() : KeyEntries.NONE;
    Final last =
        new Final(
            end.keysAdded(),
            key -> key == merged ? entries.apply(key).adds() : end.timesCounted(key),
            entries,
            member,
            key -> false);
    return new HistoryChecker(history, last, true).check().violations();
  }

  /** Checks everything. */
  Findings check() {
    byKey.forEach(this::checkKey);
    batches.forEach(this::checkBatch);
    if (journaledKeys != end.keysAdded()) {
      violation(
          "The catalog counts "
              + end.keysAdded()
              + " keys, but of the keys that were added the journal holds "
              + journaledKeys);
    }
    return new Findings(
        answers, falsePositives, winners, possibleWinners, violated, violations, staleness);
  }

  private void checkKey(long key, List<Operation> ofKey) {
    KeyEntries entries = end.journaled().apply(key);
    checkOrder(key, ofKey, entries);
    checkEntries(ofKey, entries);
    journaledKeys += end.timesCounted().applyAsInt(key);
  }

  private void checkOrder(long key, List<Operation> ofKey, KeyEntries entries) {
    List<Operation> all = new ArrayList<>(clears);
    ofKey.stream().filter(o -> !mayBeTakenBack(o, ofKey)).forEach(all::add);
    KeyOrder order = new KeyOrder(all, isCoverable(key), staleness);
    order
        .contradiction()
        .or(() -> order.contradictionWith(stateAtEnd(key, entries)))
        .ifPresent(this::violation);
    falsePositives += order.falsePositives();
    boolean member = end.member().test(key);
    if (entries.newest() != KeyState.NEVER_ADDED && member != entries.isThere()) {
      violation(
          "The newest entry is "
              + entries.newest()
              + ", but in the end "
              + key
              + " is "
              + (member ? "there" : "not there"));
    }
  }

  /** A clear takes what made the answer, so then it cannot be told any more. */
  private boolean isCoverable(long key) {
    return clears.isEmpty() && end.othersCover().test(key);
  }

  private KeyState stateAtEnd(long key, KeyEntries entries) {
    boolean falsePositive = entries.newest() == KeyState.NEVER_ADDED && end.member().test(key);
    return falsePositive ? KeyState.BY_OTHERS : entries.newest();
  }

  /**
   * Whether a lookup may have seen what a crash took back afterwards: a change that was visible
   * already but not durable, and then either was repeated or never took place.
   */
  private boolean mayBeTakenBack(Operation o, List<Operation> ofKey) {
    if (visibleIsDurable || o.kind() != Kind.ASK) {
      return false;
    }
    Predicate<Operation> mayHaveVanished =
        s ->
            switch (s.answer()) {
              case NONE, NOT_RECORDED -> true;
              // What it was answered holds, so nothing of it can vanish after that.
              default -> s.completed() >= o.knowledgeFrom();
            };
    return Stream.concat(clears.stream(), ofKey.stream())
        .filter(s -> o.foundPresent() ? s.kind() == Kind.ADD : makesAbsent(s.kind()))
        .filter(s -> s.invoked() < o.completed() && !erased(s, o))
        .anyMatch(mayHaveVanished);
  }

  private static boolean makesAbsent(Kind kind) {
    return kind == Kind.REMOVE || kind == Kind.CLEAR;
  }

  /** Whether a clear came after the one and before the other. */
  private boolean erased(Operation added, Operation seen) {
    return clears.stream()
        .anyMatch(
            c -> c.changed() && added.completed() < c.invoked() && c.completed() < seen.invoked());
  }

  /** There is an entry for each caller who was told of one, and for nobody else who cannot be. */
  private void checkEntries(List<Operation> ofKey, KeyEntries entries) {
    long won = ofKey.stream().filter(o -> o.kind() == Kind.ADD && isInJournal(o)).count();
    long mayHaveWon = ofKey.stream().filter(o -> o.kind() == Kind.ADD && mayBeInJournal(o)).count();
    winners += won > 0 ? 1 : 0;
    possibleWinners += won == 0 && mayHaveWon > 0 ? 1 : 0;
    checkCount("adds", entries.adds(), won, mayHaveWon, ofKey);
    checkCount(
        "removals",
        entries.removals(),
        ofKey.stream().filter(o -> o.kind() == Kind.REMOVE && isInJournal(o)).count(),
        ofKey.stream().filter(o -> o.kind() == Kind.REMOVE && mayBeInJournal(o)).count(),
        ofKey);
  }

  private void checkCount(
      String what, long journaled, long told, long possible, List<Operation> ofKey) {
    if (journaled < told || journaled > possible) {
      violation(
          "The journal holds "
              + journaled
              + " "
              + what
              + " of key "
              + ofKey.get(0).key()
              + ", but "
              + told
              + " callers were told of one and at most "
              + possible
              + " can have made one");
    }
  }

  private boolean isInJournal(Operation o) {
    long lastClear = clears.stream().mapToLong(Operation::completed).max().orElse(Long.MIN_VALUE);
    return o.changed() && o.invoked() >= lastClear;
  }

  private boolean mayBeInJournal(Operation o) {
    long lastClear =
        clears.stream()
            .filter(Operation::changed)
            .mapToLong(Operation::invoked)
            .max()
            .orElse(Long.MIN_VALUE);
    return o.mayHaveChanged() && o.completed() > lastClear;
  }

  /** Of a transaction whose end nobody heard of, all is there or nothing. */
  private void checkBatch(List<Operation> unheard) {
    new UnheardBatch(unheard, byKey, !clears.isEmpty())
        .contradiction(end.journaled(), this::isCoverable)
        .ifPresent(this::violation);
  }

  private void violation(String what) {
    violated++;
    if (violations.size() < MOST_TOLD) {
      violations.add(what);
    }
  }
}
