package io.github.slotbloom.internal.parts;

import io.github.slotbloom.Offered;
import io.github.slotbloom.TransactionalWrites;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.internal.parts.KeysByPart.Share;
import io.github.slotbloom.internal.sql.Quoted;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * Writes to several parts in one transaction of the caller. A part that is not in the schema of the
 * connection refuses its keys. Not thread-safe, like the connection.
 */
public final class WritesToParts<K> implements TransactionalWrites<K> {

  /** Each part has a savepoint too, under another name. */
  private static final String SAVEPOINT = "slotbloom_parts";

  private final Parts<K> parts;
  private final Connection connection;
  private final Map<Integer, TransactionalWrites<K>> writes = new HashMap<>();

  /** What those said that were forgotten. */
  private boolean outgrown;

  public WritesToParts(Parts<K> parts, Connection connection) {
    this.parts = parts;
    this.connection = connection;
  }

  @Override
  public boolean add(K key) {
    return of(key).add(key);
  }

  @Override
  public boolean[] addEach(List<? extends K> keys) {
    return each(keys, TransactionalWrites::addEach);
  }

  @Override
  public List<K> filterNew(Collection<? extends K> keys) {
    List<K> asked = List.copyOf(keys);
    return KeysByPart.where(asked, addEach(asked));
  }

  @Override
  public Offered offer(K key, Instant eventTime) {
    return of(key).offer(key, eventTime);
  }

  @Override
  public boolean remove(K key) {
    return of(key).remove(key);
  }

  @Override
  public boolean[] removeEach(List<? extends K> keys) {
    return each(keys, TransactionalWrites::removeEach);
  }

  @Override
  public boolean outgrown() {
    return outgrown || writes.values().stream().anyMatch(TransactionalWrites::outgrown);
  }

  @Override
  public void committed() {
    writes.values().forEach(TransactionalWrites::committed);
  }

  private TransactionalWrites<K> of(K key) {
    return of(parts.numberOf(key));
  }

  private TransactionalWrites<K> of(int part) {
    return writes.computeIfAbsent(part, number -> parts.all().get(number).within(connection));
  }

  /** The parts come in the order of their numbers, so that two lists never lock each other out. */
  private boolean[] each(
      List<? extends K> keys, BiFunction<TransactionalWrites<K>, List<K>, boolean[]> call) {
    KeysByPart<K> divided = parts.divide(keys);
    List<Share<K>> shares = divided.shares();
    if (shares.isEmpty()) {
      return new boolean[0];
    }
    if (shares.size() == 1) {
      return call.apply(of(shares.get(0).part()), shares.get(0).keys());
    }
    List<boolean[]> answers = new ArrayList<>();
    execute("SAVEPOINT ");
    try {
      for (Share<K> share : shares) {
        answers.add(call.apply(of(share.part()), share.keys()));
      }
    } catch (RuntimeException | Error e) {
      undo(e);
      throw e;
    }
    execute("RELEASE SAVEPOINT ");
    return divided.inOrder(answers);
  }

  /** What the parts remember of this transaction may be undone, so they read it again. */
  private void undo(Throwable reason) {
    outgrown = outgrown();
    writes.clear();
    try {
      execute("ROLLBACK TO SAVEPOINT ");
    } catch (WriteFailedException e) {
      // The transaction as a whole is lost, or there is none, and the reason says so.
      reason.addSuppressed(e);
    }
  }

  private void execute(String command) {
    try (Statement statement = connection.createStatement()) {
      statement.execute(command + SAVEPOINT);
    } catch (SQLException e) {
      throw new WriteFailedException(
          parts.name(),
          WriteFailedException.Outcome.NOT_RECORDED,
          0,
          "Could not write to filter "
              + Quoted.name(parts.name())
              + " within the caller's transaction: "
              + e.getMessage()
              + ". Roll the transaction back and repeat it as a whole.",
          e);
    }
  }
}
