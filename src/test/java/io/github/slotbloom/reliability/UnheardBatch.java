package io.github.slotbloom.reliability;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.github.slotbloom.reliability.Operation.Answer;
import io.github.slotbloom.reliability.Operation.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;

/**
 * A transaction whose end nobody heard of. All of it took effect, or nothing. That shows in keys of
 * which it is known how they stood before, and that nobody touched since.
 */
final class UnheardBatch {

  private final Map<Long, List<Operation>> unheard;
  private final Map<Long, List<Operation>> byKey;
  private final boolean cleared;

  /**
   * @param unheard what it was to add and remove, in its order
   * @param byKey all operations with each key
   * @param cleared whether the filter was cleared, ever
   */
  UnheardBatch(List<Operation> unheard, Map<Long, List<Operation>> byKey, boolean cleared) {
    this.unheard =
        unheard.stream().collect(groupingBy(Operation::key, LinkedHashMap::new, toList()));
    this.byKey = byKey;
    this.cleared = cleared;
  }

  /**
   * Returns what cannot be, or nothing if all is well.
   *
   * @param journaled what the journal holds of a key
   * @param othersCover keys that may be found though nobody added them, of which nothing is known
   */
  Optional<String> contradiction(LongFunction<KeyEntries> journaled, LongPredicate othersCover) {
    List<Long> done = new ArrayList<>();
    List<Long> missing = new ArrayList<>();
    for (Map.Entry<Long, List<Operation>> ofKey : unheard.entrySet()) {
      long key = ofKey.getKey();
      List<Operation> others = others(key, ofKey.getValue());
      if (othersCover.test(key) || !areKnown(others, ofKey.getValue().get(0))) {
        continue;
      }
      KeyEntries before = entries(others);
      KeyEntries after = entriesAfter(before, ofKey.getValue());
      KeyEntries found = journaled.apply(key);
      if (!found.equals(before) && !found.equals(after)) {
        return Optional.of(
            "Half done: the journal has " + found + " of key " + key + " after " + ofKey);
      }
      // What changes nothing cannot be told.
      if (!before.equals(after)) {
        (found.equals(after) ? done : missing).add(key);
      }
    }
    if (done.isEmpty() || missing.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        "Half done: of "
            + (done.size() + missing.size())
            + " keys of one transaction "
            + done.size()
            + " are in the journal, as "
            + done.get(0)
            + ", but not "
            + missing.get(0));
  }

  /** What else was, or may have been, done with a key. */
  private List<Operation> others(long key, List<Operation> here) {
    return byKey.get(key).stream()
        .filter(o -> o.kind() != Kind.ASK && o.answer() != Answer.NOT_RECORDED)
        .filter(o -> !here.contains(o))
        .toList();
  }

  /** Whether all others were answered before, and have left what they were answered. */
  private boolean areKnown(List<Operation> others, Operation first) {
    return others.isEmpty()
        || (!cleared && others.stream().allMatch(o -> o.completed() < first.invoked()));
  }

  private static KeyEntries entries(List<Operation> answered) {
    int adds = (int) answered.stream().filter(o -> o.answer() == Answer.NEW).count();
    int removals = (int) answered.stream().filter(o -> o.answer() == Answer.REMOVED).count();
    KeyState newest = removals == 0 ? KeyState.NEVER_ADDED : KeyState.REMOVED;
    return new KeyEntries(adds, removals, adds > removals ? KeyState.ADDED : newest);
  }

  private static KeyEntries entriesAfter(KeyEntries before, List<Operation> changes) {
    KeyEntries entries = before;
    for (Operation change : changes) {
      if (entries.isThere() == (change.kind() == Kind.REMOVE)) {
        entries = entries.isThere() ? entries.removed() : entries.added();
      }
    }
    return entries;
  }
}
