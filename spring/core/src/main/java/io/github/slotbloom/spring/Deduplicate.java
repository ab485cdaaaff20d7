package io.github.slotbloom.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs a method once for each key. The key is recorded in a filter, in the transaction in which the
 * method runs: if that rolls back, the key is new again. A later call with the same key does not
 * run the method.
 *
 * <pre>{@code
 * @Deduplicate(filter = "payments", key = "#payment.id")
 * public void book(Payment payment) { ... }
 * }</pre>
 *
 * <p><b>The transaction.</b> If the thread has none, one is begun around the method, with the
 * settings of its {@code @Transactional} if it has that too. The key is recorded last, right before
 * the commit, so calls with other keys go on meanwhile. If two calls with one key run at once, the
 * work of one is rolled back, and it ends as a repeated call does. If the thread has a transaction
 * already, or with {@link #recordFirst}, the key is recorded before the method runs. Then the
 * method never runs twice at once for a key, but other adds to the filter wait until the
 * transaction ends.
 *
 * <p><b>Any exception</b> of the method rolls back, a checked one too, and whatever {@code
 * noRollbackFor} says. If the transaction is marked to be rolled back and the method returns all
 * the same, the call ends with {@code UnexpectedRollbackException}.
 *
 * <p><b>Calls within calls.</b> If the method calls itself with the same key, the inner call is a
 * repeated one. If it calls another method with the same key and the same filter, the inner call
 * throws an {@code IllegalStateException}: of the two, only one could count as the first.
 *
 * <p><b>What it cannot do.</b> A false positive counts as a repeated call, at the false positive
 * rate of the filter. And work outside of the database, such as sending mail, is not rolled back:
 * it happens again if the call is repeated after a rollback or a crash.
 *
 * <p>The method must be one that Spring can intercept: not private, static or final, and called
 * from another bean. It must not return before its work is done, as one that returns a future, a
 * publisher or a stream does, or a suspend function of Kotlin. All this is checked when the
 * application starts.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface Deduplicate {

  /** {@return the bean name or the qualifier of the filter, a {@code BloomFilter}} */
  String filter();

  /**
   * {@return the key of a call: an expression in Spring's expression language, with the parameters
   * of the method as variables, such as {@code #message.id}}
   *
   * <p>For a filter of text it gives a {@code CharSequence}, a number, a {@code UUID}, an enum or a
   * boolean, of which the text is taken. For one of longs it gives a {@code Long}, {@code Integer},
   * {@code Short} or {@code Byte}. Otherwise, it gives just what the filter takes. It must not be
   * null.
   */
  String key();

  /**
   * {@return the time at which the event of the call came up, the same each time it is delivered:
   * an expression that gives an {@code Instant}, {@code ZonedDateTime} or {@code OffsetDateTime};
   * only for windows; empty to go by the key alone}
   */
  String eventTime() default "";

  /** {@return how a call ends whose key is in the filter} */
  Refusal onDuplicate() default Refusal.SKIP;

  /**
   * {@return how a call ends whose event came up too long ago to tell whether it was handled; only
   * with {@link #eventTime}}
   */
  Refusal onExpired() default Refusal.FAIL;

  /**
   * {@return true to record the key before the method runs} Other adds to the filter, in all
   * processes, then wait until the method has run and its transaction has ended.
   */
  boolean recordFirst() default false;
}
