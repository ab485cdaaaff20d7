package io.github.slotbloom.perf.peer;

/** A set of seen keys, as one contestant keeps it. */
public interface SeenKeys extends AutoCloseable {

  String name();

  /** Returns the part of an answer that survives a crash. */
  String durability();

  /** Returns the highest share of absent keys that may be answered as seen. */
  double falsePositiveRate();

  /** Returns the same share for a number of keys, which may exceed the capacity. */
  default double falsePositiveRateWith(long keys) {
    return falsePositiveRate();
  }

  /** Creates a caller for one thread. */
  Caller caller() throws Exception;

  /** Ends background work, so that it does not disturb the next contestant. */
  default void settle() throws Exception {}

  @Override
  void close() throws Exception;
}
