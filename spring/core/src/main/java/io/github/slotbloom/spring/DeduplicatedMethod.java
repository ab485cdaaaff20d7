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
    Instant eventTime = this.eventTime == null ? null : this.eventTime.of(call);
    Outcome outcome =
        recordFirst(key, eventTime)
            ? recording.first(call, key, eventTime)
            : recording.last(call, key, eventTime);
    return outcome.offered() == Offered.NEW ? outcome.result() : refused(outcome.offered());
  }

  /**
   * Returns true if the key is to be recorded before the method runs: also if the call is likely to
   * be refused, so that the method need not be undone. What is asked here decides nothing else.
   */
  private boolean recordFirst(K key, @Nullable Instant eventTime) {
    return annotated.annotation().recordFirst()
        // A question might need a second connection. Threads that each wait for one get none.
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
