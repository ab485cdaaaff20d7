package io.github.slotbloom.reliability;

/**
 * One call, for one key, as its caller saw it.
 *
 * @param key the key; of no meaning for a clear
 * @param invoked when it was called, in nanoseconds of a clock that all processes of a machine
 *     share
 * @param completed when it returned; {@link #NEVER} if it did not
 * @param boundNanos how old the knowledge behind an answer may be; zero for a strict question
 * @param batch the keys of one transaction have the same, others zero
 */
record Operation(
    Kind kind, Answer answer, long key, long invoked, long completed, long boundNanos, long batch) {

  static final long NEVER = Long.MAX_VALUE;

  enum Kind {
    ADD,
    ASK,
    CLEAR
  }

  enum Answer {
    /** Nobody heard one: it may have had its effect, or may still have it. */
    NONE,
    /** Of an add: new, and committed if it was the caller's transaction. */
    NEW,
    /** Of an add: not new. */
    SEEN,
    /** Of an add: it failed or was rolled back, and left nothing. */
    NOT_RECORDED,
    /** Of a question. */
    YES,
    /** Of a question. */
    NO,
    /** Of a question: it failed. */
    FAILED,
    /** Of a clear. */
    CLEARED
  }

  /** Whether the key was in the filter when this ended. */
  boolean showsPresence() {
    return answer == Answer.NEW || answer == Answer.SEEN || answer == Answer.YES;
  }

  /** Whether the key was not in the filter at some moment from {@link #knowledgeFrom} on. */
  boolean showsAbsence() {
    return answer == Answer.NEW || answer == Answer.NO;
  }

  /** Whether this may have put the key into the filter. */
  boolean mayHaveWon() {
    return kind == Kind.ADD && (answer == Answer.NEW || answer == Answer.NONE);
  }

  /** The oldest moment of which the answer may tell. */
  long knowledgeFrom() {
    return invoked - boundNanos;
  }
}
