package io.github.slotbloom.reliability;

import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.report.Replacement;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** Operators who replace the filter of a storm, and give that up, while all else goes on. */
final class StormReplacements {

  private static final int MOST = 3;

  private final SlotBloom bloom;
  private final DataSource tables;
  private final String filter;
  private final Optional<Path> histories;
  private CompletableFuture<Void> newest = CompletableFuture.completedFuture(null);
  private CompletableFuture<Void> all = newest;
  private int begun;

  /**
   * @param histories what was begun to be added stands there; empty if the filter retains hashes
   */
  StormReplacements(SlotBloom bloom, DataSource tables, String filter, Optional<Path> histories) {
    this.bloom = bloom;
    this.tables = tables;
    this.filter = filter;
    this.histories = histories;
  }

  /**
   * Replaces it by one for more keys, or goes on with that. A second operator may come while the
   * first is at work.
   *
   * @param abort whether to give up instead what is under way
   * @return false if there is nothing to do
   */
  boolean another(long moreKeys, boolean abort) {
    if (abort ? newest.isDone() : begun == MOST) {
      return false;
    }
    begun += abort ? 0 : 1;
    newest =
        CompletableFuture.runAsync(
            () ->
                attempt(
                    abort
                        ? () -> bloom.admin(filter).abortReplacement()
                        : () -> replace(moreKeys)));
    all = CompletableFuture.allOf(all, newest);
    return true;
  }

  private void replace(long moreKeys) {
    FilterInfo info = bloom.info(filter);
    long capacity =
        bloom
            .admin(filter)
            .replacement()
            .map(Replacement::capacity)
            .orElse(Math.max(info.capacity(), info.keysAdded()) + moreKeys);
    KeySource source =
        histories
            .map(logs -> KeySource.of("what was added", KeyType.longs(), () -> added(logs)))
            .orElse(KeySource.journal());
    bloom.admin(filter).replace(capacity, source, ReplaceOptions.defaults());
    System.out.println("Replaced by one of capacity " + capacity);
  }

  /**
   * Not what somebody only tried to add: nobody ever became the winner of that. And not what is
   * removed.
   */
  private Stream<Long> added(Path logs) throws IOException, SQLException {
    FilterState state = FilterState.read(tables, filter);
    List<Operation> history = HistoryLog.readAll(logs);
    return history.stream()
        .filter(operation -> operation.kind() == Operation.Kind.ADD)
        .map(Operation::key)
        .distinct()
        .filter(key -> state.entries(key).isThere());
  }

  private static void attempt(Runnable work) {
    try {
      work.run();
    } catch (FilterUnavailableException
        | InvalidParameterException
        | ReplacementException
        | SchemaException e) {
      System.out.println("Replacing was cut off: " + e.getMessage());
    }
  }

  /** Lets what is under way end, and gives up what was left in the middle. */
  void end(Duration patience) throws Exception {
    all.get(patience.toSeconds(), TimeUnit.SECONDS);
    bloom.admin(filter).abortReplacement();
  }
}
