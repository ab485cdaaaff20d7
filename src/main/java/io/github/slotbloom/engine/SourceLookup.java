package io.github.slotbloom.engine;

import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.MirrorTooLargeException;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.mirror.GenerationArrays;
import io.github.slotbloom.mirror.Image;
import io.github.slotbloom.mirror.Mirror;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Looks up the keys of a source in a filter that is being replaced: in memory, where the slots are
 * read once, or in the tables if memory cannot hold them. Not thread-safe.
 */
public final class SourceLookup {

  private final FilterContext context;
  private final Waiting waiting;
  private final DirectKeys tables;
  private @Nullable Mirror mirror;

  SourceLookup(FilterContext context) {
    this.context = context;
    waiting = new Waiting(context.name());
    tables = new DirectKeys(context);
  }

  /**
   * Reads the filter into memory if that can hold it. To be called again if it fails.
   *
   * @param meanwhile called about once a second
   * @throws FilterUnavailableException if the database could not be read
   */
  public void load(Runnable meanwhile) {
    Mirror loading =
        new Mirror(
            context.filter(), context.database(), context.io(), context.time(), context.listener());
    CompletableFuture<Void> load = loading.refresh();
    boolean loaded = false;
    while (!loaded) {
      try {
        load.get(1, TimeUnit.SECONDS);
        loaded = true;
      } catch (TimeoutException e) {
        meanwhile.run();
      } catch (InterruptedException e) {
        throw waiting.interrupted(e);
      } catch (ExecutionException e) {
        Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
        if (cause instanceof MirrorTooLargeException) {
          return;
        }
        throw waiting.translate(cause);
      }
    }
    mirror = loading;
  }

  /**
   * What the filter holds of some keys, whoever added them before this call.
   *
   * @throws FilterUnavailableException if that could not be found out in time
   * @throws ReplacementException if no generation is being filled any more
   */
  public SourceKeys find(long[] hashes, Duration timeout) {
    Deadline deadline = Deadline.in(context.time(), timeout);
    return mirror == null
        ? tables.sourceKeys(hashes, deadline)
        : inMemory(mirror, hashes, deadline);
  }

  private SourceKeys inMemory(Mirror mirror, long[] hashes, Deadline deadline) {
    waiting.forOutcome(mirror::refresh, deadline);
    Image image = Objects.requireNonNull(mirror.image());
    GenerationArrays arrays = image.arrays();
    boolean[] lacking = arrays.lacking(hashes);
    if (lacking == null) {
      throw over(context.name());
    }
    boolean[] before = new boolean[hashes.length];
    arrays.contains(hashes, 0, hashes.length, before);
    return new SourceKeys(before, lacking, image.cursor());
  }

  static ReplacementException over(String filter) {
    return new ReplacementException(
        "The replacement of filter "
            + filter
            + " is over: somebody gave it up or finished it, or the filter was cleared.");
  }
}
