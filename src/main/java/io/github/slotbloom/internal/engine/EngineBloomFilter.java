package io.github.slotbloom.internal.engine;

import io.github.slotbloom.BlockList;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.Offered;
import io.github.slotbloom.TransactionalWrites;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.internal.add.EventTime;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.admin.InfoReader;
import io.github.slotbloom.internal.admin.Rescuing;
import io.github.slotbloom.internal.background.Callbacks;
import io.github.slotbloom.internal.failure.Failures;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.report.CurrentErrorRate;
import io.github.slotbloom.report.ProcessStatistics;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** Turns keys into hashes, and passes the hashes to the engine. */
public final class EngineBloomFilter<K> implements BloomFilter<K> {

  private final FilterRecord filter;
  private final KeyHashing<K> hashing;
  private final FilterEngines engines;
  private final FilterEngine engine;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final FilterDirectory directory;
  private final Callbacks callbacks;
  private final Duration timeout;
  private final Closed onClose;

  public EngineBloomFilter(
      FilterRecord filter,
      KeyType<K> keyType,
      FilterOptions options,
      FilterEngines engines,
      FilterDirectory directory,
      Callbacks callbacks,
      Closed onClose) {
    this.filter = filter;
    this.hashing = new KeyHashing<>(filter, keyType);
    this.engines = engines;
    this.directory = directory;
    this.callbacks = callbacks;
    this.timeout = options.timeout();
    this.onClose = onClose;
    this.engine = engines.open(filter, options);
  }

  /** Receives what was closed. */
  @FunctionalInterface
  public interface Closed {

    /**
     * Takes in that a filter was closed.
     *
     * @param last true if nobody has the same engine open anymore
     */
    void by(EngineBloomFilter<?> filter, boolean last);
  }

  /** Returns what equal openings share. */
  public FilterEngine shared() {
    return engine;
  }

  /** Returns the filter as it was when it was opened. */
  public FilterRecord record() {
    return filter;
  }

  /** Returns the hash of a key, as the filter stores it. */
  public long hash(K key) {
    return hashing.hash(key);
  }

  @Override
  public String name() {
    return filter.name().value();
  }

  @Override
  public boolean add(K key) {
    return engine().writes().add(hashing.hash(key));
  }

  @Override
  public boolean[] addEach(List<? extends K> keys) {
    return engine().writes().addEach(hashing.hashes(keys));
  }

  @Override
  public List<K> filterNew(Collection<? extends K> keys) {
    return hashing.filterNew(keys, engine().writes()::addEach);
  }

  @Override
  public TransactionalWrites<K> within(Connection transaction) {
    return new EngineTransactionalWrites<>(
        hashing,
        engine().within(Objects.requireNonNull(transaction, "transaction")),
        engine().tally());
  }

  @Override
  public CompletableFuture<Boolean> addAsync(K key) {
    CompletableFuture<Boolean> written = engine().writes().addAsync(hashing.hash(key));
    return written.isDone() ? written : callbacks.completeLike(written, timeout);
  }

  @Override
  public Offered offer(K key, Instant eventTime) {
    return engine().writes().offer(hashing.hash(key), EventTime.of(eventTime));
  }

  @Override
  public boolean remove(K key) {
    return engine().writes().removeEach(new long[] {hashing.hash(key)})[0];
  }

  @Override
  public boolean[] removeEach(List<? extends K> keys) {
    return engine().writes().removeEach(hashing.hashes(keys));
  }

  @Override
  public CompletableFuture<Boolean> removeAsync(K key) {
    return callbacks.completeLike(engine().writes().removeAsync(hashing.hash(key)), timeout);
  }

  @Override
  public boolean mightContain(K key) {
    return engine().questions().mightContain(hashing.hash(key));
  }

  @Override
  public boolean[] mightContainEach(List<? extends K> keys) {
    return engine().questions().mightContainEach(hashing.hashes(keys));
  }

  @Override
  public boolean reportFalsePositive(K key) {
    return engine().questions().reportFalsePositives(new long[] {hashing.hash(key)})[0];
  }

  @Override
  public boolean[] reportFalsePositiveEach(List<? extends K> keys) {
    return engine().questions().reportFalsePositives(hashing.hashes(keys));
  }

  @Override
  public BlockList<K> blockList() {
    return new EngineBlockList<>(
        hashing, this::engine, new Rescuing(directory, engines.context(filter)));
  }

  @Override
  public ProcessStatistics statistics() {
    return engine.statistics();
  }

  @Override
  public CurrentErrorRate currentErrorRate() {
    return engine.currentErrorRate();
  }

  @Override
  public void fold() {
    engine().fold();
  }

  @Override
  public void clear() {
    engine().clear();
  }

  @Override
  public FilterInfo info() {
    engine().requireOpen();
    return InfoReader.read(directory, directory.require(filter));
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      onClose.by(this, engines.close(engine));
    }
  }

  /** Returns the engine, which others may have open when this is closed. */
  private FilterEngine engine() {
    if (closed.get()) {
      throw Failures.closed(filter.name());
    }
    return engine;
  }

  @Override
  public String toString() {
    return "BloomFilter[" + filter.name() + "]";
  }
}
