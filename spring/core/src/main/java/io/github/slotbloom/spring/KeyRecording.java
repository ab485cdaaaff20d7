package io.github.slotbloom.spring;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.Offered;
import io.github.slotbloom.TransactionalWrites;
import java.time.Instant;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;

/**
 * Runs a call and records its key in one transaction: both or neither. Thread-safe.
 *
 * @param <K> the type of the keys
 */
final class KeyRecording<K> {

  private final BloomFilter<K> filter;
  private final SpringTransactions transactions;
  private final PlatformTransactionManager manager;
  private final TransactionDefinition definition;

  KeyRecording(
      BloomFilter<K> filter,
      SpringTransactions transactions,
      PlatformTransactionManager manager,
      TransactionDefinition definition) {
    this.filter = filter;
    this.transactions = transactions;
    this.manager = manager;
    this.definition = definition;
  }

  /**
   * What became of a call.
   *
   * @param offered NEW if it ran, and its work stays
   * @param result of the method, if so
   */
  record Outcome(Offered offered, @Nullable Object result) {}

  /** Records the key, and runs the method if it is new. */
  Outcome first(MethodInvocation call, K key, @Nullable Instant eventTime) throws Throwable {
    return within(
        status -> {
          Offered offered = record(key, eventTime);
          return new Outcome(offered, offered == Offered.NEW ? call.proceed() : null);
        });
  }

  /** Runs the method, and records the key afterwards. If it is not new then, nothing happened. */
  Outcome last(MethodInvocation call, K key, @Nullable Instant eventTime) throws Throwable {
    return within(
        status -> {
          Object result = call.proceed();
          return new Outcome(
              status.isRollbackOnly() ? Offered.NEW : record(key, eventTime), result);
        });
  }

  private Offered record(K key, @Nullable Instant eventTime) {
    TransactionalWrites<K> writes = transactions.within(filter);
    return eventTime == null ? Offered.of(writes.add(key), false) : writes.offer(key, eventTime);
  }

  @FunctionalInterface
  private interface Work {
    Outcome in(TransactionStatus status) throws Throwable;
  }

  private Outcome within(Work work) throws Throwable {
    TransactionStatus status = manager.getTransaction(definition);
    Outcome outcome;
    try {
      outcome = work.in(status);
    } catch (Exception | Error e) {
      rollBack(status, e);
      throw e;
    }
    if (outcome.offered() != Offered.NEW && status.isNewTransaction()) {
      manager.rollback(status);
    } else {
      manager.commit(status); // fails if the transaction is to be rolled back all the same
    }
    return outcome;
  }

  private void rollBack(TransactionStatus status, Throwable reason) {
    try {
      manager.rollback(status);
    } catch (RuntimeException e) {
      reason.addSuppressed(e);
    }
  }
}
