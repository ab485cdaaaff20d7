package io.github.slotbloom.resp.command;

import io.github.slotbloom.SlotBloom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** The database behind the commands, which may come later than the server. Thread-safe. */
public final class Database {

  private final CompletableFuture<SlotBloom> bloom;
  private final Executor threads;
  private final Executor otherThreads;

  /**
   * Creates access to a database.
   *
   * @param bloom is completed once the database was reached
   * @param threads wait for it
   * @param otherThreads do so for short calls
   */
  public Database(CompletableFuture<SlotBloom> bloom, Executor threads, Executor otherThreads) {
    this.bloom = bloom;
    this.threads = threads;
    this.otherThreads = otherThreads;
  }

  /**
   * Returns the database.
   *
   * @throws RuntimeException if it has not been reached yet
   */
  public SlotBloom get() {
    if (isLoading()) {
      throw new CommandException("LOADING Slotbloom is waiting for its database");
    }
    return bloom.join();
  }

  /** Returns true if it has not been reached yet. */
  boolean isLoading() {
    return !bloom.isDone() || bloom.isCompletedExceptionally();
  }

  /** Makes a call that waits for the database, on another thread. */
  <T> CompletableFuture<T> ask(Function<SlotBloom, T> call) {
    return ask(call, threads);
  }

  /** Makes a short call, which does not wait behind others that take seconds. */
  <T> CompletableFuture<T> askBriefly(Function<SlotBloom, T> call) {
    return ask(call, otherThreads);
  }

  private <T> CompletableFuture<T> ask(Function<SlotBloom, T> call, Executor onThreads) {
    SlotBloom there = get();
    return CompletableFuture.supplyAsync(() -> call.apply(there), onThreads);
  }
}
