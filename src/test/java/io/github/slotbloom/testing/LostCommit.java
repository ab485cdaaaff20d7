package io.github.slotbloom.testing;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The possible fates of a COMMIT whose acknowledgement does not arrive. */
public enum LostCommit {
  /** The slow server completes the COMMIT while the client looks up the outcome. */
  CARRIED_OUT_LATE(Trap.Place.BEFORE_SERVER, Trap::release),
  /**
   * The COMMIT never reaches the server. The server rolls back while the client looks up the
   * outcome.
   */
  ROLLED_BACK(Trap.Place.BEFORE_SERVER, Trap::cut),
  /** The server carries out the COMMIT, but its answer is lost. */
  ANSWER_LOST(Trap.Place.BEFORE_CLIENT, Trap::cut);

  public final Trap.Place place;
  private final Consumer<Trap> end;

  LostCommit(Trap.Place place, Consumer<Trap> end) {
    this.place = place;
    this.end = end;
  }

  /**
   * Applies this fate to a COMMIT.
   *
   * @param commit the trap that catches it at {@link #place}, in a transaction that holds the
   *     filter's lock
   */
  public void happenTo(Trap commit, Sql sql) throws Exception {
    commit.caught().get(60, TimeUnit.SECONDS);
    if (place == Trap.Place.BEFORE_SERVER) {
      commit.hangUpOnClient();
      LockWaits.awaitOneForAFilter(sql);
    }
    end.accept(commit);
  }
}
