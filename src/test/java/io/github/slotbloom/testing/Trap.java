package io.github.slotbloom.testing;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/**
 * Waits on a {@link FaultyNetwork} for a statement, and holds it up there. Whatever is caught stays
 * caught until the test says how it goes on. Each trap catches once.
 */
public final class Trap {

  /** Where a statement is held up. */
  public enum Place {
    /** The server does not get it. */
    BEFORE_SERVER,
    /** The server gets half of it. */
    HALF_WAY,
    /** The server has carried it out, but its client does not get the answer. */
    BEFORE_CLIENT
  }

  /** How it goes on. */
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
   * @param before what is looked for in the statement before, on the same connection
   * @param statement what is looked for in the text of a statement; case does not matter
   * @param toPass how many such statements are let through before
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

  /** Completes when something was caught. */
  public CompletableFuture<?> caught() {
    return caught;
  }

  public boolean hasCaught() {
    return caught.isDone();
  }

  /** Lets what was caught, or will be, go on. */
  public void release() {
    verdict.complete(Verdict.GO_ON);
  }

  /** Ends the connection of what was caught, or will be, at both ends. */
  public void cut() {
    verdict.complete(Verdict.CUT);
  }

  /** Ends the client's end alone. The server still waits, and does not know. */
  public void hangUpOnClient() {
    caught.join().closeClient();
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

  /** Both ends of what was caught. */
  interface Connected {
    void closeClient();
  }
}
