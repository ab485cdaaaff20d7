package io.github.slotbloom.reliability;

/**
 * One call, for one key, as its caller saw it.
 *
 * @param key the key; of no meaning for a clear
 * @param invoked when it was called, in nanoseconds of a clock that all processes of a machine
 *     share
 * @param completed when it returned; {@link #NEVER} if it did not
 * @param boundNanos how old the knowledge behind an answer may be; zero for a strict lookup
 * @param batch the keys of one transaction have the same, others zero
 */
public record Operation(
    Kind kind, Answer answer, long key, long invoked, long completed, long boundNanos, long batch) {

  public static final long NEVER = Long.MAX_VALUE;

  public enum Kind {
    ADD,
    REMOVE,
    ASK,
    CLEAR,
    /** An add of the key of an event, which came up at the same time for all who offer it. */
    OFFER
  }

  public enum Answer {
    /** Nobody heard one: it may have had its effect, or may still have it. */
    NONE,
    /** Of an add: new, and committed if it was the caller's transaction. */
    NEW,
    /** Of an add: not new. */
    SEEN,
    /** Of a removal: it took the key out, and that is committed. */
    REMOVED,
    /** Of a removal: the key was not there. */
    ABSENT,
    /** Of an add or a removal: it failed or was rolled back, and left nothing. */
    NOT_RECORDED,
    /** Of a lookup. */
    YES,
    /** Of a lookup. */
    NO,
    /** Of a lookup: it failed. Of a clear, too; then it had its effect before that, or never. */
    FAILED,
    /** Of a clear. */
    CLEARED,
    /** Of an offer: the event is so old that nobody knows. */
    EXPIRED
  }

  /** Whether it had the effect that it is made for. */
  public boolean changed() {
    return answer == Answer.NEW || answer == Answer.REMOVED || answer == Answer.CLEARED;
  }

  /** Whether it had that effect, or nobody knows. */
  boolean mayHaveChanged() {
    return changed()
        || (kind != Kind.ASK && answer == Answer.NONE)
        || (kind == Kind.CLEAR && answer == Answer.FAILED);
  }

  /** Whether it found the key, and left it as it was. */
  public boolean foundPresent() {
    return answer == Answer.SEEN || answer == Answer.YES;
  }

  /** Whether it found the key missing, and left it as it was. */
  boolean foundAbsent() {
    return answer == Answer.ABSENT || answer == Answer.NO || answer == Answer.EXPIRED;
  }

  /** The oldest moment of which the answer may tell. */
  public long knowledgeFrom() {
    return invoked - boundNanos;
  }
}
