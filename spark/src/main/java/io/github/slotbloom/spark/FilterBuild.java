package io.github.slotbloom.spark;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Fill;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Seed;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.admin.Reserving;
import io.github.slotbloom.internal.snapshot.SnapshotHeader;
import io.github.slotbloom.internal.snapshot.SnapshotWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import scala.Tuple2;

/**
 * Builds a filter from the keys of a Dataset, and writes it as an export.
 *
 * <p>Each task sets the bits of its keys in memory, and sends the segments that have any to the
 * tasks which unite them. Setting bits again changes nothing, so a task that is tried again, or
 * that runs twice, does no harm. The driver reads the united segments partition by partition.
 */
final class FilterBuild {

  private static final SecureRandom SEEDS = new SecureRandom();

  /** Chance does not move an estimate by so many standard deviations. */
  private static final double DEVIATIONS = 5;

  private final FilterName name;
  private final FilterSpec<?> spec;
  private final BitShape shape;

  /**
   * @throws InvalidParameterException if the name is not valid, or exports of the filter would need
   *     more than bits
   */
  FilterBuild(String name, FilterSpec<?> spec, String keyColumn) {
    this.name = new FilterName(name);
    this.spec = spec;
    requireBitsOnly(spec.window().isPresent(), "a window, whose keys expire");
    requireBitsOnly(spec.retainHashes(), "one that retains hashes");
    requireBitsOnly(spec.expiresAt().isPresent(), "one that expires");
    BloomParameters parameters = spec.parameters();
    shape =
        new BitShape(
            keyColumn,
            new ColumnKeys(spec.keyType().id()),
            spec.hash(),
            spec.seed().orElseGet(SEEDS::nextLong),
            parameters.layout(),
            parameters.bits(),
            parameters.hashes());
  }

  private void requireBitsOnly(boolean more, String what) {
    if (more) {
      throw new InvalidParameterException(
          ("Filter %s cannot be built from a Dataset, because it is %s. Omit that, or add the"
                  + " keys with BloomFilter.addEach.")
              .formatted(name, what));
    }
  }

  /** Builds the filter, writes it to a file, and returns the estimated number of its keys. */
  long writeTo(Dataset<?> dataset, Path file) throws IOException {
    JavaPairRDD<Integer, long[]> segments = segments(dataset);
    long keys = requireRoom(fill(segments));
    new ExportFile(dataset.sparkSession().sparkContext().hadoopConfiguration(), file)
        .write(stream -> write(segments, keys, stream));
    return keys;
  }

  private JavaPairRDD<Integer, long[]> segments(Dataset<?> dataset) {
    JavaRDD<Row> rows = dataset.select(named(dataset, shape.column())).javaRDD();
    int tasks = Math.max(1, dataset.sparkSession().sparkContext().defaultParallelism());
    BitShape sent = shape;
    return rows.coalesce(tasks)
        .mapPartitionsToPair(partition -> pairs(sent.segments(partition).segments()))
        .reduceByKey(
            new SegmentPartitions(BitSegments.count(shape.parameters()), tasks),
            BitSegments::union);
  }

  /** Returns a column by its name, which is no path: a dot is a dot. */
  private static Column named(Dataset<?> dataset, String name) {
    return dataset.col("`" + name.replace("`", "``") + "`");
  }

  private static Iterator<Tuple2<Integer, long[]>> pairs(long[][] segments) {
    List<Tuple2<Integer, long[]>> pairs = new ArrayList<>();
    for (int number = 0; number < segments.length; number++) {
      if (segments[number] != null) {
        pairs.add(new Tuple2<>(number, segments[number]));
      }
    }
    return pairs.iterator();
  }

  private Fill fill(JavaPairRDD<Integer, long[]> segments) {
    BloomParameters parameters = shape.parameters();
    Layout layout = parameters.layout();
    long[] counts = new long[BloomParameters.BLOCK_BITS + 1];
    segments
        .values()
        .mapPartitions(
            partition -> {
              long[] part = new long[BloomParameters.BLOCK_BITS + 1];
              partition.forEachRemaining(segment -> BitSegments.count(layout, segment, part));
              return List.of(part).iterator();
            })
        .collect()
        .forEach(part -> BitSegments.add(counts, part));
    return layout == Layout.STANDARD
        ? Fill.standard(parameters, counts[1])
        : Fill.blocked(parameters, counts);
  }

  private long requireRoom(Fill fill) {
    long keys = Math.round(fill.estimatedKeys());
    if (fill.saturated() || keys > largestEstimate()) {
      throw new InvalidParameterException(
          ("Filter %s has a capacity of %s keys, but the Dataset has about %s. Use a larger"
                  + " capacity.")
              .formatted(name, spec.capacity(), keys));
    }
    return Math.min(keys, spec.capacity());
  }

  /**
   * Returns the largest estimate that as many keys as the capacity may have by chance. The variance
   * of the estimate for n keys is m/k^2 (e^a - 1 - a), with a = kn/m, and a hundredth is for what
   * that leaves out.
   */
  private double largestEstimate() {
    BloomParameters parameters = shape.parameters();
    double load = (double) parameters.hashes() * spec.capacity() / parameters.bits();
    double deviation =
        Math.sqrt(parameters.bits() * (Math.expm1(load) - load)) / parameters.hashes();
    return spec.capacity() * 1.01 + DEVIATIONS * deviation;
  }

  private void write(JavaPairRDD<Integer, long[]> segments, long keys, OutputStream stream)
      throws IOException {
    Iterator<Tuple2<Integer, long[]>> ascending =
        segments.mapPartitionsToPair(FilterBuild::sorted, true).toLocalIterator();
    try (SnapshotWriter writer = new SnapshotWriter(stream, header(keys))) {
      while (ascending.hasNext()) {
        Tuple2<Integer, long[]> segment = ascending.next();
        long first = (long) segment._1() * BitSegments.SLOTS;
        for (int i = 0; i < segment._2().length; i++) {
          if (segment._2()[i] != 0) {
            writer.slot(0, first + i, segment._2()[i]);
          }
        }
      }
      writer.finish();
    }
  }

  private static Iterator<Tuple2<Integer, long[]>> sorted(Iterator<Tuple2<Integer, long[]>> pairs) {
    Map<Integer, Tuple2<Integer, long[]>> sorted = new TreeMap<>();
    pairs.forEachRemaining(pair -> sorted.put(pair._1(), pair));
    return sorted.values().iterator();
  }

  private SnapshotHeader header(long keys) {
    Instant now = Instant.now();
    return new SnapshotHeader(
        name.value(),
        spec.keyType().id(),
        spec.hash().id(),
        Seed.of(spec.hash().id(), shape.seed()),
        spec.layout(),
        spec.growable(),
        false,
        spec.removablePercent().orElse(0),
        null,
        false,
        spec.onFull(),
        spec.capacity(),
        spec.falsePositiveRate(),
        Reserving.LEASE,
        Reserving.RETENTION,
        keys,
        0,
        0,
        SnapshotHeader.emptyJournal(),
        null,
        now,
        now,
        SnapshotHeader.sole(
            spec.firstGenerationCapacity(), spec.firstGenerationRate(), shape.parameters()));
  }
}
