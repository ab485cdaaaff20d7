package io.github.slotbloom.spark;

import java.util.List;
import java.util.stream.LongStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** Spark in this JVM, with four tasks at a time, each of which is tried three times. */
final class LocalSpark {

  /** What Spark tells of tasks that fail on purpose, and of this machine. */
  static final String LOGS =
      "^(WARN|ERROR) (Utils|NativeCodeLoader|Executor|TaskSetManager|DAGScheduler|SparkEnv"
          + "|TaskContextImpl|SimpleFunctionRegistry|BlockManager|SparkSession|MetricsSystem) - ";

  private static final StructType COLUMNS =
      new StructType().add("url", DataTypes.StringType).add("number", DataTypes.LongType);

  private LocalSpark() {}

  static SparkSession start() {
    return SparkSession.builder()
        .master("local[4,3]")
        .appName("slotbloom")
        .config("spark.ui.enabled", false)
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", 4)
        .getOrCreate();
  }

  /** Returns a row for each number, with the text {@code key <number>}, in four partitions. */
  static Dataset<Row> rows(SparkSession spark, LongStream numbers) {
    return rows(spark, numbers, 4);
  }

  static Dataset<Row> rows(SparkSession spark, LongStream numbers, int partitions) {
    List<Row> rows = numbers.mapToObj(n -> RowFactory.create("key " + n, n)).toList();
    JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
    return spark.createDataFrame(context.parallelize(rows, partitions), COLUMNS);
  }

  static Dataset<Row> withoutKey(SparkSession spark) {
    JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
    return spark.createDataFrame(
        context.parallelize(List.of(RowFactory.create(null, 1L)), 1), COLUMNS);
  }
}
