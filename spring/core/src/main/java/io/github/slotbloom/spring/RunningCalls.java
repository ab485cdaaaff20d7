package io.github.slotbloom.spring;

import io.github.slotbloom.BloomFilter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The calls that the present thread is in the middle of, one within the other. */
final class RunningCalls {

  private record Call(BloomFilter<?> filter, Object key, AnnotatedMethod annotated) {

    boolean records(BloomFilter<?> filter, Object key) {
      // Keys may be arrays of bytes.
      return this.filter == filter && Objects.deepEquals(this.key, key);
    }
  }

  private static final ThreadLocal<Deque<Call>> OF_THREAD =
      ThreadLocal.withInitial(ArrayDeque::new);

  private RunningCalls() {}

  /** Returns the method of a call that records this key, or null if there is none. */
  static @Nullable AnnotatedMethod recording(BloomFilter<?> filter, Object key) {
    return OF_THREAD.get().stream()
        .filter(call -> call.records(filter, key))
        .map(Call::annotated)
        .findFirst()
        .orElse(null);
  }

  static void begin(BloomFilter<?> filter, Object key, AnnotatedMethod annotated) {
    OF_THREAD.get().push(new Call(filter, key, annotated));
  }

  /** Ends the call that began last. */
  static void end() {
    Deque<Call> calls = OF_THREAD.get();
    calls.pop();
    if (calls.isEmpty()) {
      OF_THREAD.remove();
    }
  }
}
