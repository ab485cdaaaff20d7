package io.github.slotbloom.internal.parts;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.internal.background.ParallelCalls;
import io.github.slotbloom.internal.background.ParallelCalls.Outcome;
import io.github.slotbloom.internal.bits.PartOfHash;
import io.github.slotbloom.internal.parts.KeysByPart.Share;
import io.github.slotbloom.internal.parts.PartFailures.Written;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Several filters among which keys are divided, and calls of those that the keys of a call belong
 * to. Thread-safe.
 *
 * @param <K> the type of the keys
 */
public final class Parts<K> implements AutoCloseable {

  private final String name;
  private final List<BloomFilter<K>> parts;
  private final ToLongFunction<? super K> hash;
  private final ParallelCalls parallel;

  /**
   * Creates the division.
   *
   * @param name the name of all together
   * @param parts in the order of their numbers
   * @param hash hashes a key as each part does
   * @param parallel makes calls of several parts at once
   */
  public Parts(
      String name,
      List<BloomFilter<K>> parts,
      ToLongFunction<? super K> hash,
      ParallelCalls parallel) {
    this.name = name;
    this.parts = parts;
    this.hash = hash;
    this.parallel = parallel;
  }

  /** Returns the name of all parts together. */
  public String name() {
    return name;
  }

  /** Returns the parts in the order of their numbers. */
  public List<BloomFilter<K>> all() {
    return parts;
  }

  /** Returns the part that a key belongs to. */
  public BloomFilter<K> of(K key) {
    return parts.get(numberOf(key));
  }

  /** Returns the number of the part that a key belongs to. */
  public int numberOf(K key) {
    return PartOfHash.of(hash.applyAsLong(key), parts.size());
  }

  /**
   * Divides keys among the parts.
   *
   * @throws io.github.slotbloom.error.InvalidKeyException if a key cannot be stored
   */
  public KeysByPart<K> divide(Collection<? extends K> keys) {
    return KeysByPart.of(keys, parts.size(), this::numberOf);
  }

  /**
   * Asks each part for its keys. If one fails, the call fails with the exception of that part.
   *
   * @return one answer per key, in the order of the keys
   */
  public boolean[] askEach(
      Collection<? extends K> keys, BiFunction<BloomFilter<K>, List<K>, boolean[]> call) {
    KeysByPart<K> divided = divide(keys);
    return divided.inOrder(results(together(calls(divided, call))));
  }

  /**
   * Lets each part write its keys. If one fails, the others write theirs all the same.
   *
   * @return one answer per key, in the order of the keys
   */
  public boolean[] writeEach(
      Collection<? extends K> keys, BiFunction<BloomFilter<K>, List<K>, boolean[]> call) {
    KeysByPart<K> divided = divide(keys);
    List<Outcome<boolean[]>> outcomes = together(calls(divided, call));
    List<Written> written = new ArrayList<>();
    String firstFailed = null;
    for (int i = 0; i < outcomes.size(); i++) {
      Share<K> share = divided.shares().get(i);
      Throwable failure = outcomes.get(i).failure();
      written.add(new Written(share, failure));
      if (failure != null && firstFailed == null) {
        firstFailed = parts.get(share.part()).name();
      }
    }
    if (firstFailed != null) {
      // Of one part alone, the failure tells all there is to tell.
      throw unchecked(
          written.size() == 1
              ? Objects.requireNonNull(written.get(0).failure())
              : PartFailures.ofWrite(name, firstFailed, written));
    }
    return divided.inOrder(results(outcomes));
  }

  private List<Supplier<boolean[]>> calls(
      KeysByPart<K> divided, BiFunction<BloomFilter<K>, List<K>, boolean[]> call) {
    List<Supplier<boolean[]>> calls = new ArrayList<>();
    for (Share<K> share : divided.shares()) {
      calls.add(() -> call.apply(parts.get(share.part()), share.keys()));
    }
    return calls;
  }

  /**
   * Calls every part. If some fail, the others do their work all the same.
   *
   * @return the results in the order of the parts
   */
  public <T> List<T> each(Function<BloomFilter<K>, T> call) {
    List<Supplier<T>> calls = new ArrayList<>();
    for (BloomFilter<K> part : parts) {
      calls.add(() -> call.apply(part));
    }
    return results(together(calls));
  }

  /** Does the same as {@link #each}, for calls without a result. */
  public void forEach(Consumer<BloomFilter<K>> call) {
    List<Boolean> unused =
        each(
            part -> {
              call.accept(part);
              return true;
            });
  }

  private <T> List<Outcome<T>> together(List<? extends Supplier<? extends T>> calls) {
    return calls.size() == 1 ? ParallelCalls.inTurn(calls) : parallel.all(calls);
  }

  private static <T> List<T> results(List<Outcome<T>> outcomes) {
    Throwable first =
        PartFailures.first(outcomes.stream().<@Nullable Throwable>map(Outcome::failure).toList());
    if (first != null) {
      throw unchecked(first);
    }
    return outcomes.stream().map(outcome -> Objects.requireNonNull(outcome.result())).toList();
  }

  /** Returns the failure of a call to be thrown again; an error is thrown at once. */
  public static RuntimeException unchecked(Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    return (RuntimeException) failure;
  }

  /** Closes all parts, and ends the threads. */
  @Override
  public void close() {
    try {
      forEach(BloomFilter::close);
    } finally {
      parallel.close();
    }
  }
}
