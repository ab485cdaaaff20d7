package io.github.slotbloom;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.schema.Schema;
import io.github.slotbloom.store.DatabaseFailure;
import io.github.slotbloom.store.FilterHead;
import io.github.slotbloom.store.FilterRecord;
import io.github.slotbloom.store.FilterState;
import io.github.slotbloom.store.GenerationRecord;
import io.github.slotbloom.store.Growth;
import io.github.slotbloom.store.Tokens;
import io.github.slotbloom.store.Tx;
import java.util.Optional;

/**
 * Makes filters larger while others use them: a generation gets its number, then its slot table,
 * and then an entry of the journal, from which on all new keys go to it. Whoever writes reads the
 * journal to its end before, so nobody misses that entry.
 *
 * <p>What was cut off in between is found by the next one who lets the filter grow, and finished.
 * Of several who do so at once one begins the generation; the others find that it was begun.
 */
final class Growing {

  private final Directory directory;
  private final SlotTables slotTables;
  private final Growth growth = new Growth();

  Growing(Directory directory, Schema schema) {
    this.directory = directory;
    this.slotTables = new SlotTables(directory, schema);
  }

  /**
   * @param capacity keys that all generations together shall be made for
   * @throws InvalidParameterException if the filter cannot grow to that
   */
  void grow(FilterName name, long capacity) {
    Sizing.requireCapacity(capacity);
    try {
      growTo(name, capacity);
    } catch (FilterUnavailableException e) {
      throw e.getCause() instanceof DatabaseFailure f && f.lockWaitTimeout() ? held(name, e) : e;
    }
  }

  private static FilterUnavailableException held(FilterName name, RuntimeException e) {
    return new FilterUnavailableException(
        "Filter "
            + name
            + " could not grow: its lock is held, perhaps by an application's transaction that added"
            + " to it and has not ended. Let that end, and grow it again.",
        e);
  }

  private void growTo(FilterName name, long capacity) {
    FilterRecord filter = directory.require(name);
    while (filter.capacity() != capacity) {
      FilterRecord before = filter;
      Optional<Integer> number = directory.ask(tx -> begin(tx, before, capacity));
      if (number.isPresent()
          && makeTable(before, number.get())
          && finish(before, number.get(), capacity)) {
        return;
      }
      filter = directory.require(name);
    }
  }

  /** Returns false if others began the generation meanwhile. */
  private boolean makeTable(FilterRecord filter, int number) {
    try {
      slotTables.make(filter.id(), filter.name(), number, "grow");
      return true;
    } catch (SchemaException e) {
      if (directory.require(filter.name()).knows(filter.head())) {
        throw e;
      }
      return false;
    }
  }

  /** Returns empty if others let the filter grow meanwhile. */
  private Optional<Integer> begin(Tx tx, FilterRecord filter, long capacity) {
    FilterHead head = lock(tx, filter);
    if (!filter.knows(head)) {
      return Optional.empty();
    }
    int number = directory.catalog().nextGeneration(tx, filter.name());
    return Optional.of(growth.begin(tx, filter, next(filter, head, number, capacity)));
  }

  /** Returns false if others let the filter grow meanwhile. */
  private boolean finish(FilterRecord filter, int number, long capacity) {
    try {
      return directory.ask(tx -> finish(tx, filter, number, capacity));
    } catch (FilterNotFoundException e) {
      dropTable(filter, number, e);
      throw e;
    }
  }

  /** Whoever dropped the filter did not see it yet. No other filter will ever get its name. */
  private void dropTable(FilterRecord filter, int number, RuntimeException reason) {
    try {
      directory.ask(
          tx -> {
            directory.catalog().dropTable(tx, filter.name().slotTable(number));
            return true;
          });
    } catch (RuntimeException e) {
      reason.addSuppressed(e);
    }
  }

  private boolean finish(Tx tx, FilterRecord filter, int number, long capacity) {
    FilterHead head = lock(tx, filter);
    if (!filter.knows(head)) {
      return false;
    }
    GenerationRecord next = next(filter, head, number, capacity);
    return growth.finish(tx, filter.id(), head, next, capacity);
  }

  private FilterHead lock(Tx tx, FilterRecord filter) {
    FilterHead head =
        directory
            .catalog()
            .lockHead(tx, filter)
            .filter(found -> found.state() != FilterState.DROPPING)
            .orElseThrow(
                () ->
                    new FilterNotFoundException(
                        "Filter " + filter.name() + " was dropped while it was to grow."));
    if (head.state() != FilterState.ACTIVE) {
      throw new FilterUnavailableException(
          "Filter " + filter.name() + " is being cleared. Let it grow once that is over.", null);
    }
    return head;
  }

  /** All new keys go to it, so it needs room for what the filter does not hold yet. */
  private static GenerationRecord next(
      FilterRecord filter, FilterHead head, int number, long capacity) {
    if (!filter.growable()) {
      throw new InvalidParameterException(
          "Filter "
              + filter.name()
              + " was reserved as fixed: its first generation uses all of the error rate "
              + filter.falsePositiveRate()
              + ". Reserve a larger one, and add its keys to that.");
    }
    if (filter.set().target() != null) {
      throw new InvalidParameterException(
          "Filter "
              + filter.name()
              + " is being replaced by one of capacity "
              + head.capacity()
              + ". Let that end or abort it, and grow it then.");
    }
    if (capacity < head.capacity() || capacity <= head.keysAdded()) {
      throw new InvalidParameterException(
          "Filter "
              + filter.name()
              + " has a capacity of "
              + head.capacity()
              + " keys and holds "
              + head.keysAdded()
              + ", so it cannot grow to "
              + capacity
              + ". Give the new total.");
    }
    long room = capacity - head.keysAdded();
    double rate =
        Sizing.generationRate(filter.falsePositiveRate(), filter.generations().size() + 1);
    return new GenerationRecord(
        number,
        head.lastSeq() + 1,
        Tokens.next(),
        room,
        rate,
        Sizing.forCapacity(filter.layout(), room, rate),
        filter.name().slotTable(number),
        0);
  }
}
