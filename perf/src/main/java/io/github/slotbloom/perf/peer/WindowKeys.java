package io.github.slotbloom.perf.peer;

import java.sql.SQLException;
import java.time.LocalDate;
import java.util.List;

/**
 * The keys that came up in the last days, as one contestant keeps them. A key is known for {@link
 * #DAYS} days after the one on which it came up first. One thread adds.
 */
public interface WindowKeys extends AutoCloseable {

  /** How many days after its own a key is known. */
  int DAYS = 7;

  String name();

  /** Returns the part of an answer that survives a crash. */
  String durability();

  /** Returns the highest share of new keys that may be answered as known. */
  double falsePositiveRate();

  /**
   * {@return for each key whether it was new, so that it belongs to the present day from now on}
   */
  boolean[] addEach(List<String> keys) throws SQLException;

  /**
   * Begins a day, and returns once the keys that expired with it are gone. Another thread may add
   * meanwhile.
   */
  void begin(LocalDate day) throws Exception;

  /** Ends background work, so that it does not disturb the next contestant. */
  default void settle() {}

  /** Returns the bytes of the tables of keys. */
  long bytes() throws SQLException;

  @Override
  void close() throws Exception;
}
