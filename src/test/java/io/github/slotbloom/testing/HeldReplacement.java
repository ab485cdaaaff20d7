package io.github.slotbloom.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A replacement whose source waits at its end until the test releases it. */
public final class HeldReplacement implements AutoCloseable {

  private final CompletableFuture<Void> reached = new CompletableFuture<>();
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final CompletableFuture<Void> outcome;

  /** Begins the replacement, and waits until the source is at its end. */
  public HeldReplacement(SlotBloom bloom, String name, long capacity, List<String> keys)
      throws Exception {
    KeySource source =
        KeySource.of(
            "a held list",
            KeyType.text(),
            () -> Stream.concat(keys.stream(), Stream.of("last").filter(last -> pause())));
    outcome =
        CompletableFuture.runAsync(
            () -> bloom.admin(name).replace(capacity, source, ReplaceOptions.defaults()));
    CompletableFuture.anyOf(reached, outcome).get(60, TimeUnit.SECONDS);
    assertThat(reached).isCompleted();
  }

  private boolean pause() {
    reached.complete(null);
    try {
      goOn.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return false;
  }

  /** Releases the source, and waits for the end of the replacement. */
  public void finish() throws Exception {
    goOn.countDown();
    outcome.get(60, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    goOn.countDown();
    outcome.exceptionally(failure -> null).join();
  }
}
