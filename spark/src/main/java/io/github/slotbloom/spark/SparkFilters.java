package io.github.slotbloom.spark;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.InvalidParameterException;
import java.io.IOException;
import java.util.Arrays;
import java.util.UUID;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.expressions.UserDefinedFunction;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Filters in Apache Spark 4, in classic sessions (Spark Connect has none of what this needs).
 * Columns of keys have the type string for {@link KeyType#text}, a type of whole numbers for {@link
 * KeyType#longs}, and binary for {@link KeyType#bytes}. For a custom key type the column is binary,
 * and has the bytes that its encoder makes; the encoder itself is not used. Thread-safe.
 */
public final class SparkFilters {

  private SparkFilters() {}

  /**
   * Builds a filter from the keys of a Dataset and writes it to a file that {@code slotbloom
   * import} and {@link io.github.slotbloom.SlotBloom#importFrom} read. Its bits are those that the
   * filter would have if all keys had been added to it. Keys may come more than once. To bring the
   * keys into a filter that exists, import the file under another name and {@link
   * io.github.slotbloom.FilterAdmin#mergeInto} that.
   *
   * <p>Each task that runs holds the bits of the whole filter in the heap of its executor, and so
   * many bytes for each core are sent through the shuffle. The driver holds 32 MiB at a time. The
   * number of keys in the file is an estimate from the bits, as after a merge.
   *
   * @param dataset evaluated once
   * @param keyColumn the name of the column of the keys; no key may be null
   * @param spec the parameters of the filter. Without a {@link FilterSpec#seed} a keyed hash gets
   *     one at random. It must not be a window, retain hashes, or expire
   * @param name the name of the filter in the file; it can be imported under another one
   * @param file a path in one of Hadoop's file systems, such as {@code hdfs:///filters/urls} or
   *     {@code file:///tmp/urls}; it must not exist. Only its owner may read it, where the file
   *     system knows that, since it tells the seed
   * @return the estimated number of different keys
   * @throws IOException if the file cannot be written, or exists
   * @throws InvalidParameterException if the name or the specification cannot be, or there are more
   *     keys than the capacity, since a filter that grows has their bits elsewhere
   */
  public static long build(
      Dataset<?> dataset, String keyColumn, FilterSpec<?> spec, String name, String file)
      throws IOException {
    return new FilterBuild(name, spec, keyColumn).writeTo(dataset, new Path(file));
  }

  /**
   * Returns a function that asks a snapshot, to be used with columns or registered for SQL:
   *
   * <pre>{@code
   * UserDefinedFunction mightContain = SparkFilters.mightContain(spark, snapshot);
   * spark.udf().register("might_contain", mightContain);
   * dataset.where(mightContain.apply(dataset.col("url")));
   * spark.sql("SELECT * FROM visits WHERE might_contain(url)");
   * }</pre>
   *
   * <p>It answers null for null. A value of another type than the keys of the filter fails the
   * query. Keys that are added later are not seen: take another snapshot.
   *
   * @param spark the session; all executors of its application get the snapshot once
   * @param snapshot the filter
   * @return a deterministic function of one argument, whose result is a boolean
   */
  public static UserDefinedFunction mightContain(SparkSession spark, FilterSnapshot snapshot) {
    JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
    return functions.udf(new MightContain(context.broadcast(snapshot)), DataTypes.BooleanType);
  }

  /**
   * Adds the keys of a Dataset to a filter, and returns the rows whose keys were new, each key
   * once. The result is the same whatever is repeated: tasks that are tried again, tasks that run
   * twice by speculation, stages that run again since an executor was lost. For that the answers
   * are recorded in the transaction that adds the keys, in the table of {@link RunTable}, which
   * must exist.
   *
   * <p>The result is as lazy as any Dataset: keys are added when an action runs. Each action
   * evaluates it again, and gets the same rows again, since they were recorded under the id of the
   * run. So does another application with the same run and the same input. New data needs a new id;
   * so does a filter that was cleared, or created again.
   *
   * <p>The input must have the same keys in the same order in each partition whenever it is
   * evaluated. Files and tables have, where they do not change. The outcome of a shuffle mostly has
   * not: use {@link Dataset#checkpoint()} or write it to files first, or sort it within its
   * partitions by all columns. A chunk that differs from what was recorded fails the job with
   * {@link ChangedInputException}. The stages before are run when this method is called, if
   * adaptive execution needs that to settle the partitions.
   *
   * <p>A row whose key the filter takes for seen by error is missing, at the false positive rate of
   * the filter. A filter that grows automatically does so between chunks; that needs the right to
   * create tables, or room for all keys from the start.
   *
   * <p>While a chunk is added all other adds to the filter wait, so tasks take turns there: see
   * {@link FilterRun#keysPerTransaction}. Each executor holds the bits of the filter in memory.
   *
   * @param dataset the rows
   * @param keyColumn the name of the column of the keys; no key may be null
   * @param filter the name of a filter that exists, as for {@link
   *     io.github.slotbloom.SlotBloom#open}
   * @param keyType the key type that the filter was created with
   * @param database makes the connections of each executor
   * @param run names the run; see there
   * @return the rows with new keys, in partitions like those of the Dataset
   * @throws IllegalArgumentException if there is no such column
   * @throws InvalidParameterException if there are several
   */
  public static Dataset<Row> filterNew(
      Dataset<Row> dataset,
      String keyColumn,
      String filter,
      KeyType<?> keyType,
      DataSourceFactory database,
      FilterRun run) {
    int column = place(dataset.schema(), keyColumn);
    FilterAccess access =
        new FilterAccess(
            UUID.randomUUID().toString(), filter, new ColumnKeys(keyType.id()), database);
    JavaRDD<Row> rows = dataset.javaRDD();
    NewRows task =
        new NewRows(access, run.id(), run.keysPerTransaction(), column, rows.getNumPartitions());
    return dataset
        .sparkSession()
        .createDataFrame(rows.mapPartitionsWithIndex(task, true), dataset.schema());
  }

  /** Returns the place of a column. Spark would take the last one of several. */
  private static int place(StructType columns, String name) {
    if (Arrays.stream(columns.fieldNames()).filter(name::equals).count() > 1) {
      throw new InvalidParameterException(
          "The Dataset has several columns named %s. Rename or drop those that are not the keys."
              .formatted(name));
    }
    return columns.fieldIndex(name);
  }
}
