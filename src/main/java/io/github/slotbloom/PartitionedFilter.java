package io.github.slotbloom;

import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.background.ParallelCalls;
import io.github.slotbloom.internal.background.ParallelCalls.Outcome;
import io.github.slotbloom.internal.opened.EngineBloomFilter;
import io.github.slotbloom.internal.parts.BlockListOfParts;
import io.github.slotbloom.internal.parts.PartName;
import io.github.slotbloom.internal.parts.Parts;
import io.github.slotbloom.internal.parts.SumOfParts;
import io.github.slotbloom.internal.parts.WritesToParts;
import io.github.slotbloom.internal.sql.Quoted;
import io.github.slotbloom.report.ProcessStatistics;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * A set of keys that is too large for one server, or for the memory of one process, as several
 * filters: its parts. A key belongs to one part by its hash, the same in every process. So the
 * promises of {@link BloomFilter} hold for each key as they do in its part. This class is routing
 * and nothing else: each part is a filter like any other, in the schema and on the server where it
 * was created, and is grown, verified, cleared and watched there by its own name.
 *
 * <p>The parts of {@code pages} are named {@code pages_0_of_4}, {@code pages_1_of_4} and so on, and
 * are always given in this order. Another number or order is refused. All have the same type of
 * keys, hash function and seed, and keys of all can be removed, or expire, in the same way. Keys
 * are spread as by chance, so make each part for its share and about a thousandth more, or let it
 * grow. <b>The number of parts cannot change</b>, from 1 to 1000: for another number, fill another
 * partitioned filter from the source of the keys. <b>Keys are added here</b>, or to {@link
 * #partOf}: a key that is added to another part by its name is not found here.
 *
 * <p><b>Calls with many keys</b> go to the parts in parallel, on up to 64 threads of this object
 * that end when they are idle, and on the calling thread. If that is interrupted, so are the
 * threads that work for it.
 *
 * <p><b>What holds for each part alone</b>, and not for all together: a list is added or rescued in
 * at least one transaction for each part. If parts fail, the others do their work all the same. A
 * lookup, and a write that every part refused, ends with the exception of the first part that
 * failed; the others are its suppressed exceptions. Any other write ends with a {@link
 * io.github.slotbloom.error.WriteFailedException} whose cause that is, and whose {@code
 * durableKeys()} counts the keys at the start of the list that are durable; keys behind them may be
 * durable too. Within a transaction of the caller, keys of parts that are not in the schema of its
 * connection are refused with {@link io.github.slotbloom.error.FilterNotFoundException}, and after
 * a list that failed the transaction has to be rolled back, since other parts may have taken
 * theirs.
 *
 * <p>Thread-safe.
 *
 * @param <K> the type of the keys
 */
public sealed class PartitionedFilter<K> implements BloomFilter<K> {

  private final Parts<K> parts;

  private PartitionedFilter(Parts<K> parts) {
    this.parts = parts;
  }

  /**
   * Opens all parts, and creates those that do not exist, with {@link FilterOptions#defaults()}.
   *
   * @param <K> the type of the keys
   * @param name the name of all parts together
   * @param part the parameters of each part
   * @param homes where each part is, in the order of their numbers; there are as many parts
   * @return the filter
   * @throws InvalidParameterException as {@link #openOrReserve(String, FilterSpec, List,
   *     IntFunction)} does
   */
  public static <K> PartitionedFilter<K> openOrReserve(
      String name, FilterSpec<K> part, List<SlotBloom> homes) {
    return openOrReserve(name, part, homes, number -> FilterOptions.defaults());
  }

  /**
   * Opens all parts, and creates those that do not exist. Processes that do this at the same time
   * get the same filter. Mirrors are loaded in parallel.
   *
   * @param <K> the type of the keys
   * @param name the name of all parts together: a filter name that leaves room for the numbers
   * @param part the parameters of each part. With a keyed hash and no seed, the first part draws
   *     one, and the others get the same
   * @param homes where each part is, in the order of their numbers; there are as many parts. The
   *     same one may come more than once. A part cannot be moved by another order
   * @param options the settings for a part of that number in this process
   * @return the filter
   * @throws InvalidParameterException if a home has a part of this name that belongs to another
   *     home by this list, or is one of another number of parts; nothing is created
   * @throws FilterMismatchException if an existing part has other parameters
   * @throws io.github.slotbloom.error.SlotBloomException as {@link SlotBloom#openOrReserve(String,
   *     FilterSpec, FilterOptions)} does; all parts are closed again
   */
  public static <K> PartitionedFilter<K> openOrReserve(
      String name, FilterSpec<K> part, List<SlotBloom> homes, IntFunction<FilterOptions> options) {
    List<PartName> names = new ArrayList<>();
    // Without a home, the first name says that there must be one.
    for (int number = 0; number < Math.max(1, homes.size()); number++) {
      names.add(new PartName(name, number, homes.size()));
    }
    requireHomes(name, homes);
    FilterSpec<K> seeded =
        part.seed().isPresent()
            ? part
            : part.withSeed(seed(names.get(0), part, homes.get(0), options.apply(0)));
    List<Supplier<BloomFilter<K>>> openings = new ArrayList<>();
    for (int number = 0; number < homes.size(); number++) {
      SlotBloom home = homes.get(number);
      String partName = names.get(number).filter();
      FilterOptions its = options.apply(number);
      openings.add(() -> home.openOrReserve(partName, seeded, its));
    }
    ParallelCalls parallel = new ParallelCalls();
    List<Outcome<BloomFilter<K>>> outcomes = parallel.all(openings);
    List<BloomFilter<K>> opened =
        outcomes.stream()
            .flatMap(outcome -> Optional.ofNullable(outcome.result()).stream())
            .toList();
    try {
      List<BloomFilter<K>> all = Parts.results(outcomes);
      // Another process may have had another list at the same moment.
      requireHomes(name, homes);
      EngineBloomFilter<K> first = (EngineBloomFilter<K>) all.get(0);
      Parts<K> parts = new Parts<>(name, all, first.hashing()::hash, parallel);
      return first.record().removable()
          ? new RemovableParts<>(parts)
          : new PartitionedFilter<>(parts);
    } catch (RuntimeException | Error e) {
      opened.forEach(BloomFilter::close);
      parallel.close();
      throw e;
    }
  }

  /**
   * Opens all parts of a set from which keys can be removed, with {@link FilterOptions#defaults()}.
   *
   * @param <K> the type of the keys
   * @param name as for other sets
   * @param part as for other sets
   * @param homes as for other sets
   * @return the filter
   * @throws io.github.slotbloom.error.SlotBloomException as for other sets
   */
  public static <K> RemovableFilter<K> openOrReserve(
      String name, FilterSpec.Removable<K> part, List<SlotBloom> homes) {
    return (RemovableFilter<K>) openOrReserve(name, (FilterSpec<K>) part, homes);
  }

  private static <K> long seed(
      PartName first, FilterSpec<K> part, SlotBloom home, FilterOptions options) {
    try (BloomFilter<K> filter =
        home.openOrReserve(first.filter(), part, options.withoutMirror())) {
      return ((EngineBloomFilter<K>) filter).record().seed().value();
    }
  }

  /** Refuses a list of homes by which a part that exists would be made a second time elsewhere. */
  private static void requireHomes(String set, List<SlotBloom> homes) {
    Map<SlotBloom, Set<String>> filters = new HashMap<>();
    List<Set<String>> ofHomes =
        homes.stream()
            .map(home -> filters.computeIfAbsent(home, its -> Set.copyOf(its.names())))
            .toList();
    for (int number = 0; number < homes.size(); number++) {
      for (String filter : ofHomes.get(number)) {
        PartName part = PartName.parse(filter).filter(its -> its.set().equals(set)).orElse(null);
        if (part != null) {
          requireHome(part, number, ofHomes);
        }
      }
    }
  }

  private static void requireHome(PartName part, int number, List<Set<String>> ofHomes) {
    if (part.parts() != ofHomes.size()) {
      throw new InvalidParameterException(
          ("Filter %s has %s parts, as the name %s shows, but %s homes were given. The number of"
                  + " parts cannot change.")
              .formatted(Quoted.name(part.set()), part.parts(), part, ofHomes.size()));
    }
    if (!ofHomes.get(part.index()).contains(part.filter())) {
      throw new InvalidParameterException(
          ("Filter %s was found in home %s, but the list of homes puts it elsewhere. List"
                  + " the homes in the order in which the parts were created.")
              .formatted(part, number));
    }
  }

  /** {@return the name of all parts together, without their numbers} */
  @Override
  public String name() {
    return parts.name();
  }

  /** {@return all parts, in the order of their numbers} */
  public List<BloomFilter<K>> parts() {
    return parts.all();
  }

  /**
   * Returns the part that a key belongs to. Does not access the database.
   *
   * @param key not null; its hashed form has at most 1 MiB
   * @return the same part for that key, always and in each process
   * @throws io.github.slotbloom.error.InvalidKeyException if the key cannot be stored
   */
  public BloomFilter<K> partOf(K key) {
    return parts.all().get(parts.numberOf(key));
  }

  @Override
  public boolean add(K key) {
    return partOf(key).add(key);
  }

  @Override
  public boolean[] addEach(List<? extends K> keys) {
    return parts.writeEach(keys, BloomFilter::addEach);
  }

  @Override
  public CompletableFuture<Boolean> addAsync(K key) {
    return partOf(key).addAsync(key);
  }

  @Override
  public Offered offer(K key, Instant eventTime) {
    return partOf(key).offer(key, eventTime);
  }

  @Override
  public <X extends Exception> boolean once(DataSource dataSource, K key, Work<X> work)
      throws X, SQLException {
    return partOf(key).once(dataSource, key, work);
  }

  @Override
  public <X extends Exception> Offered once(
      DataSource dataSource, K key, Instant eventTime, Work<X> work) throws X, SQLException {
    return partOf(key).once(dataSource, key, eventTime, work);
  }

  @Override
  public TransactionalWrites<K> within(Connection transaction) {
    return new WritesToParts<>(parts, Objects.requireNonNull(transaction, "transaction"));
  }

  @Override
  public boolean mightContain(K key) {
    return partOf(key).mightContain(key);
  }

  @Override
  public boolean[] mightContainEach(List<? extends K> keys) {
    return parts.askEach(keys, BloomFilter::mightContainEach);
  }

  @Override
  public boolean[] reportFalsePositives(List<? extends K> keys) {
    return parts.askEach(keys, BloomFilter::reportFalsePositives);
  }

  @Override
  public BlockList<K> blockList() {
    return new BlockListOfParts<>(parts);
  }

  /**
   * {@return the sums over all parts} The part of the capacity that is used is that of the fullest
   * part, the age of the mirror is that of the oldest one, and the false positive rate is the mean.
   */
  @Override
  public ProcessStatistics statistics() {
    return SumOfParts.of(parts.all().stream().map(BloomFilter::statistics).toList());
  }

  /** Closes all parts. Closing it again does nothing. */
  @Override
  public void close() {
    parts.close();
  }

  @Override
  public String toString() {
    return "PartitionedFilter[" + name() + ", parts=" + parts.all().size() + "]";
  }

  /** Several filters as one, all of which were created so that keys can be removed. */
  private static final class RemovableParts<K> extends PartitionedFilter<K>
      implements RemovableFilter<K> {

    RemovableParts(Parts<K> parts) {
      super(parts);
    }

    private static <K> RemovableFilter<K> removable(BloomFilter<K> part) {
      return (RemovableFilter<K>) part;
    }

    @Override
    public boolean[] removeEach(List<? extends K> keys) {
      return super.parts.writeEach(keys, (part, its) -> removable(part).removeEach(its));
    }

    @Override
    public CompletableFuture<Boolean> removeAsync(K key) {
      return removable(partOf(key)).removeAsync(key);
    }

    @Override
    public RemovableWrites<K> within(Connection transaction) {
      return new WritesToParts<>(super.parts, Objects.requireNonNull(transaction, "transaction"));
    }
  }
}
