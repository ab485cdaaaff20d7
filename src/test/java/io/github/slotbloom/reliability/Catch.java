package io.github.slotbloom.reliability;

import io.github.slotbloom.testing.FaultyNetwork;
import io.github.slotbloom.testing.Trap;

/** Which statement is caught, and where; expressions as {@link FaultyNetwork} takes them. */
record Catch(Trap.Place place, String before, String statement, int toPass) {

  private static final String COMMIT = "^commit";

  /** Before the server gets it; lets some pass. */
  static Catch before(String statement, int toPass) {
    return new Catch(Trap.Place.BEFORE_SERVER, "", statement, toPass);
  }

  /** After the server carried it out, before its client hears of it. */
  static Catch after(String statement) {
    return new Catch(Trap.Place.BEFORE_CLIENT, "", statement, 0);
  }

  /** After the server carried out the COMMIT that follows that statement. */
  static Catch afterCommitOf(String last) {
    return new Catch(Trap.Place.BEFORE_CLIENT, last, COMMIT, 0);
  }

  Trap in(FaultyNetwork network) {
    return before.isEmpty()
        ? network.trap(place, statement, toPass)
        : network.trapAfter(before, place, statement, toPass);
  }
}
