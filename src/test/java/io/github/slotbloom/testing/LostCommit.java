package io.github.slotbloom.testing;

import java.util.concurrent.TimeUnit;

/** The possible fates of a COMMIT whose acknowledgement does not arrive. */
public enum LostCommit {
  /** The slow server completes the COMMIT while the client looks up the outcome. */
  CARRIED_OUT_LATE(Trap.Place.BEFORE_SERVER) {
    @Override
    public void play(Trap commit, Sql sql) {
      commit.hangUpOnClient();
      LockWaits.awaitOneForAFilter(sql);
      commit.release();
    }
  },
  /**
   * The COMMIT never reaches the server. The server rolls back while the client looks up the
   * outcome.
   */
  ROLLED_BACK(Trap.Place.BEFORE_SERVER) {
    @Override
    public void play(Trap commit, Sql sql) {
      commit.hangUpOnClient();
      LockWaits.awaitOneForAFilter(sql);
      commit.cut();
    }
  },
  /** The server carries out the COMMIT, but its answer is lost. */
  ANSWER_LOST(Trap.Place.BEFORE_CLIENT) {
    @Override
    public void play(Trap commit, Sql sql) {
      commit.cut();
    }
  };

  public final Trap.Place place;

  LostCommit(Trap.Place place) {
    this.place = place;
  }

  /**
   * Applies this fate to a COMMIT.
   *
   * @param commit the trap that catches it at {@link #place}, in a transaction that holds the
   *     filter's lock
   */
  public final void happenTo(Trap commit, Sql sql) throws Exception {
    commit.caught().get(20, TimeUnit.SECONDS);
    play(commit, sql);
  }

  public abstract void play(Trap commit, Sql sql);
}
