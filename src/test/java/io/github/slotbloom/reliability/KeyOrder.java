package io.github.slotbloom.reliability;

import static java.util.Comparator.comparingLong;

import io.github.slotbloom.reliability.Operation.Answer;
import io.github.slotbloom.reliability.Operation.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Looks for an order of all calls for one key in which every answer is right. Each call takes
 * effect at one moment between its call and its return; one that nobody heard of at any moment
 * after its call, or never.
 *
 * <p>The search goes through the returns in the order of time, and lets a call take effect as late
 * as it can: when another one returns whose answer would be wrong without. What only looks at the
 * key needs no place of its own, since it is enough to know until when the key was otherwise. Of
 * several adds that could take effect the one that returns first does so, and of several removals:
 * they would leave the same, so they can change places in every order that is right. Hence almost
 * always there is only one course that events can have taken, and histories may be long.
 *
 * <p>Used once, by one thread.
 */
final class KeyOrder {

  /**
   * How far a course of events has come.
   *
   * @param pending calls that may yet take effect; who returns first is the first
   */
  private record Position(KeyState state, List<Operation> pending) {}

  /**
   * @param otherwiseUntil the last moment at which the key was there if it is not, or was not there
   *     if it is
   * @param evidence the answer that shows the state; null at first
   */
  private record Since(long otherwiseUntil, @Nullable Operation evidence) {}

  private static final Since BEGINNING = new Since(Long.MIN_VALUE, null);

  private final List<Operation> calls;
  private final List<Operation> clears;
  private final List<Operation> returns;
  private final boolean othersCover;
  private final LongQuantiles staleness;
  private Map<Position, Since> courses =
      Map.of(new Position(KeyState.NEVER_ADDED, List.of()), BEGINNING);
  private int called;
  private long falsePositives;

  /**
   * @param ofKey all operations with that key, and all clears
   * @param othersCover whether the bits of other keys can make it a false positive
   * @param staleness takes by how much answers were older than their lookup
   */
  KeyOrder(List<Operation> ofKey, boolean othersCover, LongQuantiles staleness) {
    this.othersCover = othersCover;
    this.staleness = staleness;
    calls =
        ofKey.stream()
            .filter(Operation::mayHaveChanged)
            .sorted(comparingLong(Operation::invoked))
            .toList();
    clears = calls.stream().filter(o -> o.kind() == Kind.CLEAR).toList();
    returns =
        ofKey.stream()
            .filter(o -> o.completed() != Operation.NEVER)
            .filter(o -> o.mayHaveChanged() || o.foundPresent() || o.foundAbsent())
            .sorted(comparingLong(Operation::completed))
            .toList();
  }

  /** Returns what cannot be, or nothing if all is well. To be called first. */
  Optional<String> contradiction() {
    for (Operation returned : returns) {
      callUntil(returned.completed());
      Map<Position, Since> next = after(returned);
      if (next.isEmpty()) {
        return Optional.of(contradiction(returned));
      }
      courses = next;
      observe(returned);
    }
    callUntil(Operation.NEVER);
    return Optional.empty();
  }

  /**
   * Returns what cannot be if the key stands so when all is over, or nothing if all is well. Calls
   * that nobody heard of may have taken effect since the last return.
   */
  Optional<String> contradictionWith(KeyState end) {
    Map<Position, Since> ended = new LinkedHashMap<>();
    courses.forEach(
        (position, since) ->
            reach(position, since, p -> p.state == end, Operation.NEVER, null, ended));
    if (!ended.isEmpty()) {
      return Optional.empty();
    }
    Map.Entry<Position, Since> course = courses.entrySet().iterator().next();
    Operation evidence = course.getValue().evidence;
    String shown = course.getKey().state + (evidence == null ? "" : " by " + evidence);
    if (evidence != null && evidence.changed()) {
      return Optional.of(
          "Acknowledged, but not in the journal, in the end " + end + ": " + evidence);
    }
    return Optional.of(
        end == KeyState.ADDED
            ? "In the journal, though none of its adds can have put it there: " + shown
            : "In the end " + end + ", but should be " + shown);
  }

  /** How many answers are right only since the key is a false positive. */
  long falsePositives() {
    return falsePositives;
  }

  private void callUntil(long moment) {
    while (called < calls.size() && calls.get(called).invoked() <= moment) {
      Operation call = calls.get(called++);
      Map<Position, Since> next = new LinkedHashMap<>();
      courses.forEach((position, since) -> next.put(called(position, call), since));
      courses = next;
    }
  }

  private static Position called(Position position, Operation call) {
    List<Operation> pending = new ArrayList<>(position.pending);
    int at = 0;
    while (at < pending.size() && pending.get(at).completed() <= call.completed()) {
      at++;
    }
    pending.add(at, call);
    return new Position(position.state, pending);
  }

  /** All courses in which that answer is right. */
  private Map<Position, Since> after(Operation returned) {
    boolean optional = returned.mayHaveChanged() && !returned.changed();
    long from = knowledgeFrom(returned);
    if (!optional
        && courses.entrySet().stream()
            .allMatch(course -> isRight(returned, course.getKey(), course.getValue(), from))) {
      return courses;
    }
    Map<Position, Since> next = new LinkedHashMap<>();
    courses.forEach(
        (position, since) -> {
          if (optional) {
            keep(without(returned, position, position.state), since, next);
          }
          Predicate<Position> right = p -> isRight(returned, p, since, from);
          reach(position, since, right, returned.completed(), returned, next);
        });
    return next;
  }

  private static boolean isRight(Operation returned, Position position, Since since, long from) {
    return returned.mayHaveChanged()
        ? !position.pending.contains(returned)
        : position.state.isPresent() == returned.foundPresent() || since.otherwiseUntil >= from;
  }

  /**
   * The oldest moment of which an answer may tell. While a filter is being cleared, processes may
   * answer from memory that they have a key; if that failed, until another clear is over.
   */
  private long knowledgeFrom(Operation o) {
    long from = o.knowledgeFrom();
    if (o.foundPresent()) {
      for (Operation clear : clears) {
        boolean over = clear.changed() && clear.completed() < o.knowledgeFrom();
        if (!over && clear.invoked() <= o.completed()) {
          from = Math.min(from, clear.invoked());
        }
      }
    }
    return from;
  }

  /** Lets pending calls take effect, in each way there is, only until the position is right. */
  private void reach(
      Position position,
      Since since,
      Predicate<Position> right,
      long now,
      @Nullable Operation evidence,
      Map<Position, Since> reached) {
    if (right.test(position)) {
      keep(position, since, reached);
      return;
    }
    for (Position next : steps(position)) {
      boolean turned = next.state.isPresent() != position.state.isPresent();
      Since then = new Since(turned ? now : since.otherwiseUntil, evidence);
      reach(next, then, right, now, evidence, reached);
    }
  }

  /** Of two that came to the same, the one that was otherwise for longer explains more answers. */
  private static void keep(Position position, Since since, Map<Position, Since> reached) {
    reached.merge(position, since, (a, b) -> a.otherwiseUntil >= b.otherwiseUntil ? a : b);
  }

  private List<Position> steps(Position position) {
    List<Position> steps = new ArrayList<>();
    boolean present = position.state.isPresent();
    position.pending.stream()
        .filter(o -> o.kind() == (present ? Kind.REMOVE : Kind.ADD))
        .findFirst()
        .map(o -> without(o, position, present ? KeyState.REMOVED : KeyState.ADDED))
        .ifPresent(steps::add);
    position.pending.stream()
        .filter(o -> o.kind() == Kind.CLEAR)
        .map(o -> without(o, position, KeyState.NEVER_ADDED))
        .forEach(steps::add);
    if (position.state == KeyState.NEVER_ADDED && othersCover) {
      steps.add(new Position(KeyState.BY_OTHERS, position.pending));
    }
    return steps;
  }

  private static Position without(Operation call, Position position, KeyState state) {
    List<Operation> pending = new ArrayList<>(position.pending);
    pending.remove(call);
    return new Position(state, pending);
  }

  private void observe(Operation returned) {
    if (returned.mayHaveChanged()) {
      return;
    }
    Map.Entry<Position, Since> course = courses.entrySet().iterator().next();
    KeyState state = course.getKey().state;
    falsePositives += returned.foundPresent() && state == KeyState.BY_OTHERS ? 1 : 0;
    long otherwiseUntil = course.getValue().otherwiseUntil;
    if (returned.boundNanos() > 0
        && state.isPresent() != returned.foundPresent()
        && otherwiseUntil < returned.invoked()) {
      staleness.add(returned.invoked() - otherwiseUntil);
    }
  }

  private String contradiction(Operation returned) {
    Map.Entry<Position, Since> course = courses.entrySet().iterator().next();
    KeyState state = course.getKey().state;
    Operation shown = course.getValue().evidence;
    if (state.isPresent()) {
      boolean twoWinners =
          returned.answer() == Answer.NEW && shown != null && shown.answer() == Answer.NEW;
      return twoWinners
          ? "Two winners: " + shown + ", and then " + returned
          : "Lost: " + shown + ", but then " + returned;
    }
    if (state == KeyState.NEVER_ADDED) {
      return "Nobody added it: " + returned;
    }
    return returned.answer() == Answer.REMOVED
        ? "Two removers: " + shown + ", and then " + returned
        : "Removed: " + shown + ", but then " + returned;
  }
}
