package io.github.slotbloom.resp.filter;

import io.github.slotbloom.FilterSpec;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one command until they are answered.
 *
 * @param keys in order
 * @param make the parameters of the filter if it is missing; null if it must not be created
 * @param answers to be completed
 */
record Waiting(
    List<byte[]> keys,
    @Nullable Supplier<FilterSpec<byte[]>> make,
    CompletableFuture<Answers> answers) {

  /** Completes the answers with a failure. */
  void fail(Throwable failure) {
    answers.completeExceptionally(failure);
  }
}
