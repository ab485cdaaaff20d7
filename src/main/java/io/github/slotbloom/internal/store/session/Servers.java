package io.github.slotbloom.internal.store.session;

import io.github.slotbloom.error.UnsupportedVersionException;
import java.util.function.Function;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The server that takes all writes, and those that may answer lookups. Thread-safe. */
public final class Servers {

  private final Database primary;
  private final @Nullable Secondaries secondaries;

  private Servers(Database primary, @Nullable Secondaries secondaries) {
    this.primary = primary;
    this.secondaries = secondaries;
  }

  /** Returns one server that does everything. */
  public static Servers only(Database primary) {
    return new Servers(primary, null);
  }

  /**
   * Returns a primary, and other members of its group that answer lookups as reliably.
   *
   * @param secondaries leads to members of the group of the primary; they need not be up now
   * @param nanoTime a monotonic clock in nanoseconds
   * @throws DatabaseFailure if the primary cannot be asked for its group
   * @throws UnsupportedVersionException if the secondaries can never be used
   */
  public static Servers withSecondaries(
      Database primary, DataSource secondaries, LongSupplier nanoTime) {
    primary.group().requireVisible();
    Secondaries others = new Secondaries(secondaries, primary.groupName(), nanoTime);
    others.begin();
    return new Servers(primary, others);
  }

  /** Returns true if secondaries failed, and it is time to {@link #trySecondariesAgain}. */
  public boolean mayTrySecondariesAgain() {
    return secondaries != null && secondaries.mayTryAgain();
  }

  /** Finds out if a secondary answers again. This may take as long as their pool waits. */
  public void trySecondariesAgain() {
    if (secondaries != null) {
      secondaries.tryAgain();
    }
  }

  public Database primary() {
    return primary;
  }

  /**
   * Runs work that only reads, as {@link Database#read} does: on a secondary if there is one that
   * answers, and otherwise on the primary.
   *
   * @throws DatabaseFailure if a statement fails
   */
  public <T> T read(Function<Tx, T> work) {
    return secondaries == null
        ? primary.read(work)
        : secondaries.read(work).orElseGet(() -> primary.read(work));
  }

  /**
   * Does the same as {@link #read(Function)}, in a session of the primary that the caller keeps.
   * Leaves it alone where there are secondaries: they may answer for hours, and nobody would give
   * it back.
   *
   * @throws DatabaseFailure if a statement fails
   */
  public <T> T read(KeptSession session, Function<Tx, T> work) {
    return secondaries == null ? session.read(work) : read(work);
  }
}
