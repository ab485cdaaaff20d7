package io.github.slotbloom.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.reliability.Operation.Answer;
import io.github.slotbloom.reliability.Operation.Kind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The search finds an order of calls exactly if there is one. */
class KeyOrderTest {

  private static final int HISTORIES = 30_000;
  private static final int MOST_CALLS = 7;

  /** Times are few, so that many calls overlap and begin when others end. */
  private static final int TIMES = 12;

  @Test
  void itAgreesWithTryingAllOrders() {
    Random random = new Random(1);
    int possible = 0;
    int impossible = 0;
    for (int i = 0; i < HISTORIES; i++) {
      List<Operation> history = history(random);
      boolean othersCover = random.nextInt(4) == 0;
      Set<KeyState> ends = EnumSet.noneOf(KeyState.class);
      tryAll(KeyState.NEVER_ADDED, widened(history), othersCover, ends);
      KeyOrder order = order(history, othersCover);
      boolean found = order.contradiction().isEmpty();
      assertThat(found).as("%s, covered %b", history, othersCover).isEqualTo(!ends.isEmpty());
      for (KeyState end : KeyState.values()) {
        assertThat(found && order.contradictionWith(end).isEmpty())
            .as("%s at the end of %s, covered %b", end, history, othersCover)
            .isEqualTo(ends.contains(end));
      }
      possible += found ? 1 : 0;
      impossible += found ? 0 : 1;
    }
    assertThat(possible).isGreaterThan(HISTORIES / 10);
    assertThat(impossible).isGreaterThan(HISTORIES / 10);
  }

  /** A second or two; an order that has to be searched for would take forever. */
  @Test
  @Timeout(300)
  void aLongHistoryIsFollowedToItsEnd() {
    List<Operation> history = new ArrayList<>();
    boolean present = false;
    for (int i = 0; i < 100_000; i++) {
      long now = 10L * i;
      if (i % 50 == 0) {
        history.add(operation(Kind.ADD, Answer.NONE, now, Operation.NEVER));
      }
      if (i % 10 == 0) {
        Kind kind = present ? Kind.REMOVE : Kind.ADD;
        history.add(operation(kind, present ? Answer.REMOVED : Answer.NEW, now - 200, now + 200));
        present = !present;
      } else {
        history.add(operation(Kind.ASK, present ? Answer.YES : Answer.NO, now, now + 300));
      }
    }
    assertThat(order(history, true).contradiction()).isEmpty();
  }

  private static KeyOrder order(List<Operation> history, boolean othersCover) {
    return new KeyOrder(history, othersCover, new LongQuantiles());
  }

  private static List<Operation> history(Random random) {
    List<Operation> history = new ArrayList<>();
    int calls = 1 + random.nextInt(MOST_CALLS);
    for (int i = 0; i < calls; i++) {
      long invoked = random.nextInt(TIMES);
      long completed = invoked + random.nextInt(TIMES / 2);
      history.add(
          switch (random.nextInt(20)) {
            case 0, 1, 2, 3 -> operation(Kind.ADD, Answer.NEW, invoked, completed);
            case 4 -> operation(Kind.ADD, Answer.SEEN, invoked, completed);
            case 5, 6 -> operation(Kind.ADD, Answer.NONE, invoked, Operation.NEVER);
            case 7 -> operation(Kind.ADD, Answer.NOT_RECORDED, invoked, completed);
            case 8, 9, 10 -> operation(Kind.REMOVE, Answer.REMOVED, invoked, completed);
            case 11 -> operation(Kind.REMOVE, Answer.ABSENT, invoked, completed);
            case 12, 13 -> operation(Kind.REMOVE, Answer.NONE, invoked, Operation.NEVER);
            case 14, 15, 16, 17 -> {
              Answer answer = random.nextBoolean() ? Answer.YES : Answer.NO;
              long bound = random.nextBoolean() ? 0 : random.nextInt(TIMES / 2);
              yield new Operation(Kind.ASK, answer, 0, invoked, completed, bound, 0);
            }
            case 18 -> operation(Kind.CLEAR, Answer.CLEARED, invoked, completed);
            default ->
                random.nextBoolean()
                    ? operation(Kind.CLEAR, Answer.FAILED, invoked, completed)
                    : operation(Kind.CLEAR, Answer.NONE, invoked, Operation.NEVER);
          });
    }
    return history;
  }

  private static Operation operation(Kind kind, Answer answer, long invoked, long completed) {
    return new Operation(kind, answer, 0, invoked, completed, 0, 0);
  }

  /** Finds every state in which all can end, by the letter of what each call does. */
  private static void tryAll(
      KeyState state, List<Operation> left, boolean othersCover, Set<KeyState> ends) {
    if (left.isEmpty()) {
      ends.add(state);
    }
    for (int i = 0; i < left.size(); i++) {
      Operation next = left.get(i);
      if (left.stream().anyMatch(other -> other.completed() < next.invoked())) {
        continue;
      }
      List<Operation> others = new ArrayList<>(left);
      others.remove(i);
      if (!next.changed()) {
        boolean fits =
            next.foundPresent() ? state.isPresent() : !next.foundAbsent() || !state.isPresent();
        if (fits) {
          tryAll(state, others, othersCover, ends);
        }
      }
      if (next.mayHaveChanged()) {
        switch (next.kind()) {
          case ADD -> {
            if (!state.isPresent()) {
              tryAll(KeyState.ADDED, others, othersCover, ends);
            }
          }
          case REMOVE -> {
            if (state.isPresent()) {
              tryAll(KeyState.REMOVED, others, othersCover, ends);
            }
          }
          default -> tryAll(KeyState.NEVER_ADDED, others, othersCover, ends);
        }
      }
    }
    if (othersCover && state == KeyState.NEVER_ADDED) {
      tryAll(KeyState.BY_OTHERS, left, othersCover, ends);
    }
  }

  /** The same calls, with the times at which they can have looked. */
  private static List<Operation> widened(List<Operation> history) {
    return history.stream().map(o -> widened(o, history)).toList();
  }

  private static Operation widened(Operation o, List<Operation> history) {
    long begun = o.invoked() - o.boundNanos();
    long from = begun;
    for (Operation clear : history) {
      boolean overlaps =
          clear.kind() == Kind.CLEAR
              && clear.invoked() <= o.completed()
              && (clear.answer() == Answer.FAILED || begun <= clear.completed());
      if (overlaps && o.foundPresent()) {
        from = Math.min(from, clear.invoked());
      }
    }
    return new Operation(o.kind(), o.answer(), 0, from, o.completed(), 0, 0);
  }
}
