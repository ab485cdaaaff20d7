package io.github.slotbloom.reliability;

/** What can happen in a storm. */
enum Fault {
  /** SIGKILL of a process, at any moment. */
  KILL,
  /** SIGKILL of a process while a statement of it that matters is on its way. */
  KILL_AT_POINT,
  /**
   * SIGKILL of the server, which is then started again. In a group: its primary is killed, frozen
   * or cut off from the others, which go on without it until it comes back.
   */
  CRASH_SERVER,
  /** A process stands still for a while. */
  FREEZE,
  /** All connections of a process end. */
  CUT,
  /** The answer to a COMMIT gets lost. */
  LOSE_COMMIT_ANSWER,
  /** A process takes a COMMIT for lost that the server gets later. */
  SLOW_COMMIT,
  /** A connection ends in the middle of a statement that matters. */
  CUT_AT_POINT,
  /** No byte passes for a while. */
  STALL,
  /** Everything takes longer for a while. */
  DELAY,
  /** The server's ends of the connections are gone, and nobody tells the process. */
  LOSE_SERVER,
  /** The process's ends of the connections are gone, and nobody tells the server. */
  LOSE_CLIENT,
  /** Somebody clears the filter. */
  CLEAR,
  /** Somebody lets the filter grow. */
  GROW,
  /** Somebody replaces the filter by a larger one, or gives that up. */
  REPLACE
}
