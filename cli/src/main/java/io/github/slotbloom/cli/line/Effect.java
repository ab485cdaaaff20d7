package io.github.slotbloom.cli.line;

/** The effect of a command on the keys that it answers with yes, as its messages name it. */
public enum Effect {
  NONE("recorded", "seen"),
  RECORDED("recorded", "seen"),
  REMOVED("removed", "missing"),
  RESCUED("rescued", "rescued before"),
  RESCUE_ENDED("no longer rescued", "not rescued");

  private final String done;
  private final String later;

  Effect(String done, String later) {
    this.done = done;
    this.later = later;
  }

  /** Returns the word for a key after the command. */
  String done() {
    return done;
  }

  /** Returns what the next run takes such a key for. */
  String later() {
    return later;
  }
}
