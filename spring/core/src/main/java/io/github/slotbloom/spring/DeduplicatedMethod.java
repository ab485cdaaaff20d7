package io.github.slotbloom.spring;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.Offered;
import io.github.slotbloom.spring.KeyRecording.Outcome;
import java.time.Instant;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Runs calls of one method once for each key. Thread-safe.
 *
 * @param <K> the type of the keys
 */
final class DeduplicatedMethod<K> {

  private final AnnotatedMethod annotated;
  private final BloomFilter<K> filter;
  private final CallKey<K> key;
  private final @Nullable EventTime eventTime;
  private final KeyRecording<K> recording;
  private final @Nullable Object skipped;

  DeduplicatedMethod(
      AnnotatedMethod annotated,
      BloomFilter<K> filter,
      CallKey<K> key,
      @Nullable EventTime eventTime,
      KeyRecording<K> recording) {
    this.annotated = annotated;
    this.filter = filter;
    this.key = key;
    this.eventTime = eventTime;
    this.recording = recording;
    this.skipped = new SkippedResult(annotated).value();
  }

  @Nullable Object call(MethodInvocation call) throws Throwable {
    K key = this.key.of(call);
    AnnotatedMethod outer = RunningCalls.recording(filter, key);
    if (outer != null) {
      return within(outer);
    }
    RunningCalls.begin(filter, key, annotated);
    Outcome outcome;
    try {
      outcome = run(call, key);
    } finally {
      RunningCalls.end();
    }
    return outcome.offered() == Offered.NEW ? outcome.result() : refused(outcome.offered());
  }

  /**
   * Ends a call within another one of the same key. If that is one of another method, the work of
   * one of the two would be left out without a word.
   */
  private @Nullable Object within(AnnotatedMethod outer) {
    if (outer.equals(annotated)) {
      return refused(Offered.SEEN);
    }
    throw new IllegalStateException(
        ("%s did not run: %s called it while running for the same key, and both record keys in"
                + " filter %s, so one of them would count as a repeated call. Use another filter for"
                + " one of them.")
            .formatted(annotated, outer, filter.name()));
  }

  private Outcome run(MethodInvocation call, K key) throws Throwable {
    Instant eventTime = this.eventTime == null ? null : this.eventTime.of(call);
    return recordFirst(key, eventTime)
        ? recording.first(call, key, eventTime)
        : recording.last(call, key, eventTime);
  }

  /**
   * Returns true if the key is to be recorded before the method runs: also if the call is likely to
   * be refused, so that the method need not be undone. What is asked here decides nothing else.
   */
  private boolean recordFirst(K key, @Nullable Instant eventTime) {
    return annotated.annotation().recordFirst()
        // A lookup might need a second connection. Threads that each wait for one get none.
        || TransactionSynchronizationManager.isActualTransactionActive()
        || (this.eventTime != null && eventTime != null && this.eventTime.mayBeOver(eventTime))
        || filter.mightContain(key);
  }

  private @Nullable Object refused(Offered why) {
    Deduplicate annotation = annotated.annotation();
    boolean expired = why == Offered.EXPIRED;
    Refusal refusal = expired ? annotation.onExpired() : annotation.onDuplicate();
    if (refusal == Refusal.SKIP) {
      return skipped;
    }
    throw expired
        ? new ExpiredCallException(annotated.toString(), filter.name())
        : new DuplicateCallException(annotated.toString(), filter.name());
  }
}
