package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.measure.Checks;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.measure.Trial;
import io.github.slotbloom.perf.peer.RemovableKeys;
import io.github.slotbloom.perf.peer.RemovingCaller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One caller that adds new keys in batches, and removes the same ones again. Each trial continues
 * where the last one ended.
 */
final class Turnover implements AutoCloseable {

  private final RemovableKeys keys;
  private final RemovingCaller caller;
  private final Checks checks;
  private final int batch;
  private final int mostKeys;
  private final Duration mostTime;
  private long next;

  Turnover(RemovableKeys keys, Checks checks, int batch, int mostKeys, Duration mostTime)
      throws Exception {
    this.keys = keys;
    this.caller = keys.caller();
    this.checks = checks;
    this.batch = batch;
    this.mostKeys = mostKeys;
    this.mostTime = mostTime;
  }

  /**
   * {@return keys added per second, and keys removed per second} Between the two, and afterwards,
   * outside the measured time, background work ends and the answers are checked.
   */
  Trial.Two trial() throws Exception {
    List<List<String>> batches = batches();
    List<List<String>> added = new ArrayList<>();
    long asked = 0;
    long isNew = 0;
    long begun = System.nanoTime();
    long end = begun + mostTime.toNanos();
    do {
      List<String> some = batches.get(added.size());
      isNew += add(some);
      asked += some.size();
      added.add(some);
    } while (added.size() < batches.size() && System.nanoTime() < end);
    double addSeconds = (System.nanoTime() - begun) / 1e9;
    checks.newKeys(keys.name(), asked, isNew, keys.falsePositiveRate());
    keys.settle();
    Batches.requireFound(keys, caller, checks, next, asked);

    double removeSeconds = removeAll(added, asked);
    keys.settle();
    requireRemoved(added, asked);
    next += asked;
    return new Trial.Two(asked / addSeconds, asked / removeSeconds);
  }

  private List<List<String>> batches() {
    List<List<String>> batches = new ArrayList<>();
    Keys.inParts(next, mostKeys, batch).forEach(batches::add);
    return batches;
  }

  private double removeAll(List<List<String>> added, long asked) throws Exception {
    long removed = 0;
    long begun = System.nanoTime();
    for (List<String> some : added) {
      removed += remove(some);
    }
    double seconds = (System.nanoTime() - begun) / 1e9;
    checks.expect(
        removed == asked, "%s: of %,d added keys %,d were removed", keys.name(), asked, removed);
    return seconds;
  }

  private void requireRemoved(List<List<String>> removed, long asked) throws Exception {
    long seen = 0;
    for (List<String> some : removed) {
      seen += caller.seen(some);
    }
    checks.absent(keys.name() + ", after removing", asked, seen, keys.falsePositiveRate());
  }

  /** A batch of one is what a caller has who uses the calls with one key. */
  private long add(List<String> some) throws Exception {
    return batch == 1 ? (caller.add(some.get(0)) ? 1 : 0) : caller.addEach(some);
  }

  private long remove(List<String> some) throws Exception {
    return batch == 1 ? (caller.remove(some.get(0)) ? 1 : 0) : caller.removeEach(some);
  }

  @Override
  public void close() throws Exception {
    caller.close();
  }
}
