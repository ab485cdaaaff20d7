package io.github.slotbloom.spark;

import static io.github.slotbloom.testing.FilterNames.newName;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.RemovableFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.error.InvalidKeyException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkException;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** Filters that are built from a Dataset, and asked in one. */
@DatabaseContract(migrated = true)
@DisabledForJreRange(min = JRE.JAVA_24, disabledReason = "Spark 4.0 runs on Java 17 and 21.")
@PossibleLog(LocalSpark.LOGS)
@Timeout(300)
class BuildIT {

  private static final int KEYS = 30_000;

  @Fixture private static SlotBloom bloom;
  @Fixture private static Sql sql;

  private static SparkSession spark;

  private final String name = newName();
  @TempDir private Path folder;

  @BeforeAll
  static void start() {
    spark = LocalSpark.start();
  }

  /** Each number comes twice, in two partitions. */
  private static LongStream numbers() {
    return LongStream.range(0, 2 * KEYS).map(n -> n % KEYS);
  }

  private static <K> FilterSpec.Builder<K> spec(KeyType<K> type) {
    return FilterSpec.builder(type).capacity(40_000).falsePositiveRate(0.001);
  }

  private long build(String column, FilterSpec<?> spec) throws IOException {
    return SparkFilters.build(
        LocalSpark.rows(spark, numbers()), column, spec, name, file().toUri().toString());
  }

  private Path file() {
    return folder.resolve("built");
  }

  private static List<String> bits(String filter) throws SQLException {
    return sql
        .rows("SELECT slot, bits FROM " + sql.slots(filter, 1) + " WHERE bits <> 0 ORDER BY slot")
        .stream()
        .map(Object::toString)
        .toList();
  }

  private <K> void assertLikeDirectAdds(String column, FilterSpec<K> spec, LongFunction<K> key)
      throws Exception {
    long keys = build(column, spec);
    bloom.importFrom(name, file());
    String direct = newName();
    try (BloomFilter<K> filter = bloom.reserve(direct, spec)) {
      filter.addEach(LongStream.range(0, KEYS).mapToObj(key).toList());
      bloom.admin(filter.name()).fold();
    }
    assertThat(bits(name)).isNotEmpty().isEqualTo(bits(direct));
    long counted = bloom.info(direct).keysAdded();
    assertThat(bloom.info(name).keysAdded()).isEqualTo(keys);
    assertThat(keys).isBetween(counted * 99 / 100, counted * 101 / 100);
    assertThat(bloom.admin(name).verify(VerifyOptions.defaults()).findings()).isEmpty();
    try (BloomFilter<K> filter = bloom.open(name, spec)) {
      assertThat(filter.add(key.apply(7))).isFalse();
    }
  }

  @Test
  void aFilterOfTextHasTheBitsOfDirectAdds() throws Exception {
    assertLikeDirectAdds("url", spec(KeyType.text()).build(), n -> "key " + n);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .as("tells the seed to its owner alone")
        .isEqualTo("rw-------");
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).containsExactly(file());
    }
  }

  @Test
  void aFilterOfNumbersInTheOtherLayoutHasTheBitsOfDirectAdds() throws Exception {
    FilterSpec<Long> spec =
        spec(KeyType.longs())
            .layout(Layout.STANDARD)
            .hash(HashAlgorithm.SIPHASH_24)
            .seed(42)
            .fixed()
            .buildRemovable();
    assertLikeDirectAdds("number", spec, n -> n);
  }

  @Test
  void anEmptyDatasetMakesAnEmptyFilterAndAColumnIsTakenByItsWholeName() throws Exception {
    FilterSpec<String> spec = spec(KeyType.text()).build();
    Dataset<Row> none = LocalSpark.rows(spark, LongStream.empty());
    assertThat(SparkFilters.build(none, "url", spec, name, file().toString())).isZero();
    bloom.importFrom(name, file());
    assertThat(bits(name)).isEmpty();

    Dataset<Row> rows =
        LocalSpark.rows(spark, LongStream.range(0, 10)).withColumnRenamed("url", "page.url");
    String other = folder.resolve("other").toString();
    assertThat(SparkFilters.build(rows, "page.url", spec, name, other)).isEqualTo(10);
  }

  /** The estimate may be beyond the capacity: by a few keys of a hundred, as chance has it. */
  @ParameterizedTest
  @EnumSource
  void asManyKeysAsTheCapacityAreTakenWithAnySeed(Layout layout) throws Exception {
    Dataset<Row> hundred = LocalSpark.rows(spark, LongStream.range(0, 100), 2);
    for (int seed = 0; seed < 4; seed++) {
      FilterSpec<String> spec =
          spec(KeyType.text()).capacity(100).layout(layout).seed(seed).build();
      Path file = folder.resolve("seed" + seed);
      assertThat(SparkFilters.build(hundred, "url", spec, name, file.toString()))
          .as("seed %s", seed)
          .isBetween(85L, 100L);
    }
  }

  @Test
  void whatCannotBeBuiltIsRefused() throws Exception {
    assertThatThrownBy(() -> build("url", spec(KeyType.text()).capacity(KEYS / 2).build()))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageMatching(
            "Filter %s has a capacity of 15000 keys, but the Dataset has about (29|30)\\d{3}\\. .*"
                .formatted(name));
    assertThatThrownBy(() -> build("url", spec(KeyType.text()).retainHashes().build()))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining("retains hashes");
    assertThatThrownBy(
            () -> build("url", spec(KeyType.text()).window(Duration.ofHours(1), 4).build()))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining("a window");
    assertThatThrownBy(
            () ->
                SparkFilters.build(
                    LocalSpark.withoutKey(spark),
                    "url",
                    spec(KeyType.text()).build(),
                    name,
                    file().toString()))
        .hasStackTraceContaining(InvalidKeyException.class.getName())
        .hasStackTraceContaining("A key in column url is null.");
    assertThat(file()).doesNotExist();
    Files.createFile(file());
    assertThatThrownBy(() -> build("url", spec(KeyType.text()).build()))
        .isInstanceOf(FileAlreadyExistsException.class)
        .hasMessageContaining("Use another path");
  }

  @Test
  void aSnapshotIsAskedWithColumnsAndInSql() throws Exception {
    FilterSpec.Removable<String> spec =
        spec(KeyType.text()).falsePositiveRate(1e-9).buildRemovable();
    try (RemovableFilter<String> filter = bloom.reserve(name, spec)) {
      filter.addEach(LongStream.range(0, 100).mapToObj(n -> "key " + n).toList());
      bloom.admin(name).grow(80_000);
      filter.addEach(LongStream.range(100, 200).mapToObj(n -> "key " + n).toList());
      filter.removeEach(List.of("key 3", "key 150"));
    }
    FilterSnapshot snapshot = FilterSnapshot.of(bloom.admin(name));
    assertThat(snapshot.name()).isEqualTo(name);
    assertThat(snapshot.bytes()).isGreaterThan(100_000);

    Dataset<Row> rows = LocalSpark.rows(spark, LongStream.range(0, 400));
    List<Long> expected = LongStream.range(0, 200).filter(n -> n != 3 && n != 150).boxed().toList();
    var mightContain = SparkFilters.mightContain(spark, snapshot);
    assertThat(numbers(rows.where(mightContain.apply(rows.col("url"))))).isEqualTo(expected);

    spark.udf().register("might_contain", mightContain);
    rows.createOrReplaceTempView("visits");
    assertThat(numbers(spark.sql("SELECT * FROM visits WHERE might_contain(url)")))
        .isEqualTo(expected);
    Row nothing = spark.sql("SELECT might_contain(CAST(NULL AS STRING))").first();
    assertThat(nothing.isNullAt(0)).isTrue();
    assertThatThrownBy(() -> spark.sql("SELECT might_contain(number) FROM visits").collect())
        .isInstanceOf(SparkException.class)
        .hasStackTraceContaining("A filter with text keys cannot look up a Long.");
  }

  private static List<Long> numbers(Dataset<Row> rows) {
    return rows.select("number").as(Encoders.LONG()).collectAsList().stream().sorted().toList();
  }

  @Test
  void aSnapshotTakesNumbersOfAnySizeAndEncodedKeysAndIsOfNoWindow() throws Exception {
    FilterSpec<Long> spec = spec(KeyType.longs()).falsePositiveRate(1e-9).build();
    try (BloomFilter<Long> filter = bloom.reserve(name, spec)) {
      filter.add(5L);
    }
    FilterSnapshot snapshot = FilterSnapshot.of(bloom.admin(name));
    assertThat(snapshot.mightContain((byte) 5)).isTrue();
    assertThat(snapshot.mightContain((short) 5)).isTrue();
    assertThat(snapshot.mightContain(5)).isTrue();
    assertThat(snapshot.mightContain(5L)).isTrue();
    assertThat(snapshot.mightContain(6)).isFalse();
    assertThatThrownBy(() -> snapshot.mightContain(5.0)).isInstanceOf(InvalidKeyException.class);

    KeyType<String> type = KeyType.encoded("short", text -> text.substring(0, 2).getBytes());
    String custom = newName();
    try (BloomFilter<String> filter = bloom.reserve(custom, spec(type).build())) {
      filter.add("abc");
    }
    FilterSnapshot encoded = FilterSnapshot.of(bloom.admin(custom));
    assertThat(encoded.mightContain(new byte[] {'a', 'b'})).isTrue();
    assertThat(encoded.mightContain(new byte[] {'a', 'c'})).isFalse();

    String window = newName();
    bloom.reserve(window, spec(KeyType.text()).window(Duration.ofHours(1), 4).build()).close();
    assertThatThrownBy(() -> FilterSnapshot.of(bloom.admin(window)))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageStartingWith("Filter " + window + " is a window");
  }

  /** In local mode nothing is sent. */
  @Test
  void aSnapshotCanBeSentWithEitherSerializer() throws Exception {
    FilterSpec<String> spec = spec(KeyType.text()).falsePositiveRate(1e-9).build();
    try (BloomFilter<String> filter = bloom.reserve(name, spec)) {
      filter.add("a");
    }
    FilterSnapshot snapshot = FilterSnapshot.of(bloom.admin(name));
    assertThat(snapshot.mightContain("a")).isTrue();
    ClassTag<FilterSnapshot> type = ClassTag$.MODULE$.apply(FilterSnapshot.class);
    SparkConf settings = spark.sparkContext().conf();
    for (Serializer serializer :
        List.of(new JavaSerializer(settings), new KryoSerializer(settings))) {
      SerializerInstance instance = serializer.newInstance();
      FilterSnapshot sent = instance.deserialize(instance.serialize(snapshot, type), type);
      assertThat(sent.bytes()).isEqualTo(snapshot.bytes());
      assertThat(sent.mightContain("a")).isTrue();
      assertThat(sent.mightContain("b")).isFalse();
    }
  }
}
