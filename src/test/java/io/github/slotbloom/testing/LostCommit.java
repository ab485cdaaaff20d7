package io.github.slotbloom.testing;

import java.util.concurrent.TimeUnit;

/** What becomes of a COMMIT whose acknowledgement does not arrive. */
public enum LostCommit {
  /** The server is slow, and finishes it while the outcome is being looked up. */
  CARRIED_OUT_LATE(Trap.Place.BEFORE_SERVER) {
    @Override
    public void play(Trap commit, Sql sql) {
      commit.hangUpOnClient();
      LockWaits.awaitOneForAFilter(sql);
      commit.release();
    }
  },
  /** It never reaches the server, which rolls back while the outcome is being looked up. */
  ROLLED_BACK(Trap.Place.BEFORE_SERVER) {
    @Override
    public void play(Trap commit, Sql sql) {
      commit.hangUpOnClient();
      LockWaits.awaitOneForAFilter(sql);
      commit.cut();
    }
  },
  /** It is carried out, and the answer is lost. */
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
   * Lets it happen to a COMMIT.
   *
   * @param commit catches it at {@link #place}, in a transaction that holds the filter's lock
   */
  public final void happenTo(Trap commit, Sql sql) throws Exception {
    commit.caught().get(20, TimeUnit.SECONDS);
    play(commit, sql);
  }

  public abstract void play(Trap commit, Sql sql);
}
