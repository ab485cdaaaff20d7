package io.github.slotbloom.testing;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/**
 * Waits for a statement on a {@link FaultyNetwork} and holds it. The statement is held until the
 * test decides how it continues. Each trap catches only once.
 */
public final class Trap {

  /** The places to hold a statement. */
  public enum Place {
    /** The server does not receive the statement. */
    BEFORE_SERVER,
    /** The server receives half of the statement. */
    HALF_WAY,
    /** The server has carried out the statement, but the client does not receive the answer. */
    BEFORE_CLIENT
  }

  /** The ways to continue. */
  enum Verdict {
    GO_ON,
    CUT
  }

  private final Pattern before;
  private final Pattern statement;
  private final Place place;
  private final AtomicInteger toPass;
  private final CompletableFuture<Connected> caught = new CompletableFuture<>();
  private final CompletableFuture<Verdict> verdict = new CompletableFuture<>();

  /**
   * @param before the pattern for the previous statement on the same connection
   * @param statement the pattern for the statement's text; case does not matter
   * @param toPass the number of matching statements that pass first
   */
  Trap(String before, String statement, Place place, int toPass) {
    this.before = compile(before);
    this.statement = compile(statement);
    this.place = place;
    this.toPass = new AtomicInteger(toPass);
  }

  private static Pattern compile(String regex) {
    return Pattern.compile(regex, Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
  }

  /** Returns a future that completes when a statement is caught. */
  public CompletableFuture<?> caught() {
    return caught;
  }

  public boolean hasCaught() {
    return caught.isDone();
  }

  /** Lets the caught statement continue, now or when it is caught. */
  public void release() {
    verdict.complete(Verdict.GO_ON);
  }

  /** Closes both ends of the statement's connection, now or when it is caught. */
  public void cut() {
    verdict.complete(Verdict.CUT);
  }

  /** Closes only the client's end. The server still waits, and is told once it has answered. */
  public void hangUpOnClient() {
    caught.join().hangUpOnClient();
  }

  Place place() {
    return place;
  }

  boolean wants(String sentBefore, String sql) {
    return statement.matcher(sql).find()
        && before.matcher(sentBefore).find()
        && toPass.getAndDecrement() == 0;
  }

  Verdict hold(Connected connection) {
    caught.complete(connection);
    return verdict.join();
  }

  /** The two ends of the caught connection. */
  interface Connected {
    void hangUpOnClient();
  }
}
