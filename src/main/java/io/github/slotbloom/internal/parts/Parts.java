package io.github.slotbloom.internal.parts;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.internal.background.ParallelCalls;
import io.github.slotbloom.internal.bits.PartOfHash;
import io.github.slotbloom.internal.sql.Quoted;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BiFunction;
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

  /** Keys of one part in the order of the list, and where they stand in it. */
  record Share<K>(int part, List<K> keys, List<Integer> places) {}

  public String name() {
    return name;
  }

  public List<BloomFilter<K>> all() {
    return parts;
  }

  /** Returns the number of the part that a key belongs to. */
  public int numberOf(K key) {
    return PartOfHash.of(hash.applyAsLong(key), parts.size());
  }

  /** Divides keys among the parts that have any, in the order of the parts. */
  List<Share<K>> divide(Collection<? extends K> keys) {
    Map<Integer, Share<K>> shares = new TreeMap<>();
    int place = 0;
    for (K key : keys) {
      Share<K> share =
          shares.computeIfAbsent(
              numberOf(key), part -> new Share<>(part, new ArrayList<>(), new ArrayList<>()));
      share.keys.add(key);
      share.places.add(place++);
    }
    return List.copyOf(shares.values());
  }

  /** Puts the answers to each share in the order of the list. */
  static <K> boolean[] inOrder(int size, List<Share<K>> shares, List<boolean[]> answers) {
    boolean[] all = new boolean[size];
    for (int i = 0; i < shares.size(); i++) {
      boolean[] some = answers.get(i);
      for (int j = 0; j < some.length; j++) {
        all[shares.get(i).places.get(j)] = some[j];
      }
    }
    return all;
  }

  /**
   * Asks each part for its keys. If one fails, the call fails with the exception of that part.
   *
   * @return one answer per key, in the order of the keys
   */
  public boolean[] askEach(
      Collection<? extends K> keys, BiFunction<BloomFilter<K>, List<K>, boolean[]> call) {
    List<Share<K>> shares = divide(keys);
    return inOrder(keys.size(), shares, results(outcomes(shares, call)));
  }

  /**
   * Lets each part write its keys. If one fails, the others write theirs all the same.
   *
   * @return one answer per key, in the order of the keys
   */
  public boolean[] writeEach(
      Collection<? extends K> keys, BiFunction<BloomFilter<K>, List<K>, boolean[]> call) {
    List<Share<K>> shares = divide(keys);
    List<ParallelCalls.Outcome<boolean[]>> outcomes = outcomes(shares, call);
    try {
      return inOrder(keys.size(), shares, results(outcomes));
    } catch (RuntimeException e) {
      // Of one part alone, or of several that all refused, the failure tells all there is to tell.
      boolean allOfIt = shares.size() == 1 || outcomes.stream().allMatch(Parts::isRefused);
      throw allOfIt ? e : ofSeveral(e, keys.size(), shares, outcomes);
    }
  }

  /** Returns true if a part took none of its keys, for a reason that says so. */
  private static boolean isRefused(ParallelCalls.Outcome<boolean[]> outcome) {
    return outcome.failure() instanceof SlotBloomException e
        && !(e instanceof WriteFailedException)
        && !(e instanceof FilterUnavailableException);
  }

  /** Other parts may have recorded keys behind the first one that is missing. */
  private WriteFailedException ofSeveral(
      RuntimeException first,
      int size,
      List<Share<K>> shares,
      List<ParallelCalls.Outcome<boolean[]>> outcomes) {
    int durable = size;
    String part = name;
    for (int i = shares.size() - 1; i >= 0; i--) {
      Share<K> share = shares.get(i);
      Throwable failure = outcomes.get(i).failure();
      if (failure != null) {
        int some = failure instanceof WriteFailedException e ? e.durableKeys() : 0;
        durable = Math.min(durable, share.places.get(some));
        part = parts.get(share.part).name();
      }
    }
    return new WriteFailedException(
        part,
        Outcome.UNKNOWN,
        durable,
        ("Not all parts of filter %s could write. The first %s keys of the list are durable; some"
                + " of the others may be, and no caller was told which. Repeating the call is safe."
                + " Part %s: %s")
            .formatted(Quoted.name(name), durable, Quoted.name(part), first.getMessage()),
        first);
  }

  private List<ParallelCalls.Outcome<boolean[]>> outcomes(
      List<Share<K>> shares, BiFunction<BloomFilter<K>, List<K>, boolean[]> call) {
    List<Supplier<boolean[]>> calls = new ArrayList<>();
    for (Share<K> share : shares) {
      calls.add(() -> call.apply(parts.get(share.part), share.keys));
    }
    return calls.size() == 1 ? ParallelCalls.inTurn(calls) : parallel.all(calls);
  }

  /**
   * Calls every part. If some fail, the others do their work all the same.
   *
   * @return the results in the order of the parts
   */
  <T> List<T> each(Function<BloomFilter<K>, T> call) {
    List<Supplier<T>> calls = new ArrayList<>();
    for (BloomFilter<K> part : parts) {
      calls.add(() -> call.apply(part));
    }
    return results(parallel.all(calls));
  }

  /** Returns what calls returned, or throws the first failure, with the others suppressed. */
  public static <T> List<T> results(List<ParallelCalls.Outcome<T>> outcomes) {
    Throwable first = null;
    for (ParallelCalls.Outcome<T> outcome : outcomes) {
      Throwable failure = outcome.failure();
      if (first == null) {
        first = failure;
      } else if (failure != null && failure != first) {
        first.addSuppressed(failure);
      }
    }
    throwUnchecked(first);
    return outcomes.stream().map(outcome -> Objects.requireNonNull(outcome.result())).toList();
  }

  private static void throwUnchecked(@Nullable Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure != null) {
      throw (RuntimeException) failure;
    }
  }

  /** Closes all parts, and ends the threads. */
  @Override
  public void close() {
    try {
      List<Boolean> unused =
          each(
              part -> {
                part.close();
                return true;
              });
    } finally {
      parallel.close();
    }
  }
}
