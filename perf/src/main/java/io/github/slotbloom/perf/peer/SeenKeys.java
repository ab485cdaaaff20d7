package io.github.slotbloom.perf.peer;

/** A set of keys that were seen, as one contestant keeps it. */
public interface SeenKeys extends AutoCloseable {

  String name();

  /** What of an answer outlives a crash. */
  String durability();

  /** How many absent keys may be answered as seen. */
  double errorRate();

  /** The same with so many keys in it, which may be more than it was made for. */
  default double errorRateWith(long keys) {
    return errorRate();
  }

  /** A way in for one thread. */
  Caller caller() throws Exception;

  /** Ends what goes on in the background, so that it does not disturb who comes next. */
  default void settle() throws Exception {}

  @Override
  void close() throws Exception;
}
