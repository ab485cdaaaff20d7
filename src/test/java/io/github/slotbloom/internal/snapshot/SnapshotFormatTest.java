package io.github.slotbloom.internal.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.core.Seed;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.InvalidExportException;
import io.github.slotbloom.internal.store.filter.Bucket;
import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.KeyCounts;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.JournalEntry.Kind;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import java.util.zip.Deflater;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is written is read again; what is not as it was written is refused. */
class SnapshotFormatTest {

  private static final BloomParameters SMALL = new BloomParameters(Layout.STANDARD, 100, 3);
  private static final BloomParameters LARGE =
      new BloomParameters(Layout.STANDARD, BloomParameters.MAX_BITS, 7);

  private static SnapshotHeader header(BloomParameters... generations) {
    double rate = Arrays.stream(generations).mapToDouble(SnapshotFormatTest::rateOf).sum();
    return header(generations.length == 0 ? 0.01 : rate, generations);
  }

  private static double rateOf(BloomParameters parameters) {
    return Sizing.expectedFalsePositiveRate(parameters, 20);
  }

  private static SnapshotHeader header(double rate, BloomParameters... generations) {
    return header(rate, 0, generations);
  }

  private static SnapshotHeader header(
      double rate, int removablePercent, BloomParameters... generations) {
    return header(
        rate,
        removablePercent,
        null,
        IntStream.range(0, generations.length).mapToObj(i -> generation(i, generations[i])));
  }

  private static GenerationRecord generation(int place, BloomParameters parameters) {
    return GenerationRecord.first(place + 1, 20, rateOf(parameters), parameters);
  }

  private static SnapshotHeader window(Duration length, long... buckets) {
    return header(
        4 * rateOf(SMALL),
        0,
        new Window(length, 3, true),
        IntStream.range(0, buckets.length)
            .mapToObj(
                i ->
                    generation(i, SMALL)
                        .in(new Bucket(buckets[i], 3))
                        .counting(new KeyCounts(buckets[i] % 7, 0, 1))));
  }

  private static SnapshotHeader header(
      double rate,
      int removablePercent,
      @Nullable Window window,
      Stream<GenerationRecord> generations) {
    boolean lasting = window == null;
    return new SnapshotHeader(
        "urls",
        "custom:order-id.v1",
        "xxh3_64",
        Seed.of("xxh3_64", -42),
        Layout.STANDARD,
        lasting,
        lasting,
        removablePercent,
        window,
        true,
        lasting ? OnFull.GROW : OnFull.REFUSE,
        1000,
        rate,
        Duration.ofSeconds(2),
        Duration.ofHours(2),
        77,
        removablePercent > 0 ? 9 : 0,
        lasting ? 0 : 5,
        new Cursor(12, -34),
        null,
        Instant.ofEpochMilli(1_700_000_000_123L),
        Instant.ofEpochMilli(1_800_000_000_456L),
        generations.toList());
  }

  @Test
  void aWindowIsReadAsItWasWritten() throws IOException {
    SnapshotHeader header = window(Duration.ofDays(3), 20_514, 20_514, 20_516);
    try (SnapshotReader reader = new SnapshotReader(new ByteArrayInputStream(export(header)))) {
      assertThat(reader.header()).isEqualTo(header);
    }
  }

  @Test
  void aWindowWhoseBucketsGoBackIsRefused() throws IOException {
    assertRefused(export(window(Duration.ofDays(3), 20_515, 20_514)), "backwards");
    assertRefused(export(window(Duration.ofDays(3), -1)), "before 1970");
    assertRefused(export(window(Duration.ofDays(3), 1L << 41)), "beyond all dates");
  }

  private static byte[] export(SnapshotHeader header) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (SnapshotWriter writer = new SnapshotWriter(bytes, header)) {
      writer.finish();
    }
    return bytes.toByteArray();
  }

  /** Remembers everything as text. */
  private static final class Recorder implements SnapshotSink {
    final List<String> seen = new ArrayList<>();

    @Override
    public void removed(long[] hashes) {
      seen.add("removed " + Arrays.toString(hashes));
    }

    @Override
    public void slot(int place, long slot, long bits) {
      seen.add(place + "/" + slot + "=" + bits);
    }

    @Override
    public void hashes(long[] hashes) {
      seen.add(Arrays.toString(hashes));
    }
  }

  private static byte[] sample() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (SnapshotWriter writer = new SnapshotWriter(bytes, header(SMALL, LARGE))) {
      write(writer);
      writer.finish();
    }
    return bytes.toByteArray();
  }

  private static void write(SnapshotSink sink) throws IOException {
    sink.slot(0, 0, -1);
    sink.slot(0, 1, (1L << 36) - 1);
    sink.slot(1, 5, 0);
    for (long slot = 1L << 30; slot < (1L << 30) + 300; slot++) {
      sink.slot(1, slot, slot << 40);
    }
    sink.slot(1, LARGE.slots() - 1, Long.MIN_VALUE);
    sink.hashes(new long[] {3, -3, Long.MIN_VALUE});
  }

  private static Recorder read(byte[] bytes) throws IOException {
    return read(new ByteArrayInputStream(bytes));
  }

  private static Recorder read(InputStream stream) throws IOException {
    Recorder recorder = new Recorder();
    try (SnapshotReader reader = new SnapshotReader(stream)) {
      reader.stream(recorder);
    }
    return recorder;
  }

  private static void assertRefused(byte[] bytes, String described) {
    assertThatThrownBy(() -> read(bytes))
        .as(described)
        .isExactlyInstanceOf(InvalidExportException.class);
  }

  @Test
  void aWrittenExportIsReadBack() throws IOException {
    Recorder expected = new Recorder();
    write(expected);
    assertThat(read(sample()).seen).isEqualTo(expected.seen);
    try (SnapshotReader reader = new SnapshotReader(new ByteArrayInputStream(sample()))) {
      assertThat(reader.header()).isEqualTo(header(SMALL, LARGE));
    }
  }

  private static byte[] removable(int percent, long[]... removed) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (SnapshotWriter writer = new SnapshotWriter(bytes, header(rateOf(SMALL), percent, SMALL))) {
      for (long[] some : removed) {
        writer.removed(some);
      }
      writer.slot(0, 0, -1);
      writer.hashes(new long[] {5});
      writer.finish();
    }
    return bytes.toByteArray();
  }

  @Test
  void removedHashesAreReadBack() throws IOException {
    long[] many = LongStream.range(0, SnapshotFormat.HASHES_PER_FRAME + 1).toArray();
    byte[] export = removable(25, new long[] {Long.MIN_VALUE, -1}, many);
    assertThat(read(export).seen)
        .containsExactly(
            "removed [-9223372036854775808, -1]",
            "removed " + Arrays.toString(Arrays.copyOf(many, SnapshotFormat.HASHES_PER_FRAME)),
            "removed [" + SnapshotFormat.HASHES_PER_FRAME + "]",
            "0/0=-1",
            "[5]");
    try (SnapshotReader reader = new SnapshotReader(new ByteArrayInputStream(export))) {
      assertThat(reader.header()).isEqualTo(header(rateOf(SMALL), 25, SMALL));
    }
    for (int length = 0; length < 300; length++) {
      assertRefused(Arrays.copyOf(export, length), "the first " + length + " bytes");
    }
  }

  @Test
  void removedHashesThatCannotBeAreRefused() throws IOException {
    assertRefused(removable(25, new long[] {3, 2}), "descending");
    assertRefused(removable(25, new long[] {3}, new long[] {3}), "twice");
    assertRefused(removable(0, new long[] {3}), "where no keys can be removed");
    assertRefused(removable(101), "more than all");
    ByteArrayOutputStream late = new ByteArrayOutputStream();
    try (SnapshotWriter writer = new SnapshotWriter(late, header(rateOf(SMALL), 25, SMALL))) {
      writer.slot(0, 0, -1);
      writer.hashes(new long[] {5});
      writer.removed(new long[] {3});
      writer.finish();
    }
    assertRefused(late.toByteArray(), "behind the slots");
  }

  private static SnapshotHeader delta(int removablePercent, Cursor base, Cursor last) {
    SnapshotHeader full = header(rateOf(SMALL), removablePercent, SMALL);
    return new SnapshotHeader(
        full.name(),
        full.keyType(),
        full.hash(),
        full.seed(),
        full.layout(),
        full.growable(),
        full.retainHashes(),
        full.removablePercent(),
        null,
        full.renewed(),
        full.onFull(),
        full.capacity(),
        full.falsePositiveRate(),
        full.lease(),
        full.retention(),
        full.keysAdded(),
        full.keysRemoved(),
        0,
        last,
        base,
        full.createdAt(),
        full.exportedAt(),
        full.generations());
  }

  private static byte[] delta(SnapshotHeader header, Kind... kinds) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (SnapshotWriter writer = new SnapshotWriter(bytes, header)) {
      Cursor end = new Cursor(12, 7);
      for (Kind kind : kinds) {
        JournalEntry entry = JournalEntry.ofKeys(kind, new long[] {3, -3}, end, end.token() + 1);
        writer.entry(entry);
        end = entry.cursor();
      }
      writer.finish();
    }
    return bytes.toByteArray();
  }

  private static List<String> entries(byte[] delta) throws IOException {
    List<String> seen = new ArrayList<>();
    try (SnapshotReader reader = new SnapshotReader(new ByteArrayInputStream(delta))) {
      reader.entries(
          entry ->
              seen.add(
                  entry.kind()
                      + " "
                      + entry.cursor()
                      + " after "
                      + entry.previousToken()
                      + Arrays.toString(entry.hashes())));
    }
    return seen;
  }

  private static void assertDeltaRefused(byte[] delta, String described) {
    assertThatThrownBy(() -> entries(delta))
        .as(described)
        .isExactlyInstanceOf(InvalidExportException.class);
  }

  @Test
  void aDeltaIsReadBack() throws IOException {
    SnapshotHeader header = delta(25, new Cursor(12, 7), new Cursor(14, 9));
    byte[] delta = delta(header, Kind.ADD, Kind.REMOVE);
    assertThat(entries(delta))
        .containsExactly(
            "ADD Cursor[seq=13, token=8] after 7[3, -3]",
            "REMOVE Cursor[seq=14, token=9] after 8[3, -3]");
    try (SnapshotReader reader = new SnapshotReader(new ByteArrayInputStream(delta))) {
      assertThat(reader.header()).isEqualTo(header);
      assertThat(reader.readUpTo()).isEqualTo(new Cursor(14, 9));
    }
    assertThatThrownBy(() -> read(delta))
        .isExactlyInstanceOf(InvalidExportException.class)
        .hasMessageContaining("This is a delta")
        .hasMessageContaining("urls after entry 12");
    for (int length = 0; length < delta.length; length++) {
      assertDeltaRefused(Arrays.copyOf(delta, length), "the first " + length + " bytes");
    }
    for (int bit = 0; bit < delta.length * Byte.SIZE; bit++) {
      byte[] flipped = delta.clone();
      flipped[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
      assertDeltaRefused(flipped, "bit " + bit);
    }
  }

  @Test
  void aDeltaThatCannotBeIsRefused() throws IOException {
    Cursor base = new Cursor(12, 7);
    assertDeltaRefused(delta(delta(25, base, new Cursor(14, 9)), Kind.ADD), "an entry less");
    assertDeltaRefused(delta(delta(25, base, new Cursor(13, 9)), Kind.ADD), "another end");
    assertDeltaRefused(delta(delta(25, base, new Cursor(12, 8))), "another end at the base");
    assertDeltaRefused(delta(delta(25, base, new Cursor(11, 7))), "an end before the base");
    assertDeltaRefused(delta(delta(25, base, new Cursor(13, 8)), Kind.MERGE), "a kind of its own");
    for (Kind kind : List.of(Kind.REMOVE, Kind.RETURN, Kind.READD)) {
      assertDeltaRefused(delta(delta(0, base, new Cursor(13, 8)), kind), "no key is removable");
    }
    assertDeltaRefused(sample(), "a whole filter");
  }

  @Test
  void theFirstBytesAreAsDocumented() throws IOException {
    assertThat(HexFormat.of().formatHex(sample()))
        .startsWith("89534c420d0a1a0a" + "0006" + "000000c3" + "0004" + "75726c73" + "0012");
  }

  @Test
  void aTruncatedExportIsRefused() throws IOException {
    byte[] sample = sample();
    for (int length = 0; length < sample.length; length++) {
      assertRefused(Arrays.copyOf(sample, length), "the first " + length + " bytes");
    }
    assertRefused(Arrays.copyOf(sample, sample.length + 1), "one byte more");
  }

  @Test
  void anExportWithAFlippedBitIsRefused() throws IOException {
    byte[] sample = sample();
    for (int bit = 0; bit < sample.length * Byte.SIZE; bit++) {
      byte[] flipped = sample.clone();
      flipped[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
      assertRefused(flipped, "bit " + bit);
    }
  }

  @Test
  void anErrorNamesAnotherVersion() throws IOException {
    byte[] later = sample();
    later[9] = 60;
    assertThatThrownBy(() -> read(later))
        .isInstanceOf(InvalidExportException.class)
        .hasMessageContaining("format 60")
        .hasMessageContaining("a newer one");
    byte[] former = sample();
    former[9] = 5;
    assertThatThrownBy(() -> read(former))
        .isInstanceOf(InvalidExportException.class)
        .hasMessageContainingAll("format 5", "development version before 0.1.0");
    assertThatThrownBy(() -> read("key\nkey\n".repeat(9).getBytes(StandardCharsets.US_ASCII)))
        .isInstanceOf(InvalidExportException.class)
        .hasMessageContaining("not an exported filter");
  }

  @Test
  void aHugeHeaderIsRefusedBeforeItIsRead() throws IOException {
    for (int length : new int[] {Integer.MAX_VALUE, -1, SnapshotFormat.MOST_HEADER_BYTES + 1}) {
      byte[] huge = sample();
      ByteBuffer.wrap(huge).putInt(10, length);
      assertThatThrownBy(() -> read(huge))
          .isInstanceOf(InvalidExportException.class)
          .hasMessageContaining("its header would have " + Integer.toUnsignedString(length));
    }
  }

  /** A checksum tells damage; what somebody made up has to be found by what it says. */
  @Test
  void aForgedHeaderIsRefused() throws IOException {
    for (SnapshotHeader wrong :
        List.of(header(0, SMALL), header(Double.NaN, SMALL), header(1.5, SMALL), header())) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (SnapshotWriter writer = new SnapshotWriter(bytes, wrong)) {
        writer.finish();
      }
      assertRefused(bytes.toByteArray(), wrong.toString());
    }
  }

  private record Field(int place, int bytes) {}

  /** In their order, each with as many bytes as it takes; texts with their lengths before them. */
  private static Map<String, Field> fields() {
    String all =
        """
        name 6, keyType 20, hash 9, seed 8, layout 10, growable 1, retainHashes 1,\
         removablePercent 1, renewed 1, onFull 6, capacity 8, falsePositiveRate 8, lease 4,\
         retention 4, keysAdded 8, keysRemoved 8, lastSequence 8, lastToken 8, delta 1,\
         createdAt 8, exportedAt 8, window 1, generations 2, capacity of generation 1 8, falsePositiveRate of generation 1 8,\
         bits of generation 1 8, hashes of generation 1 4\
        """;
    Map<String, Field> fields = new HashMap<>();
    int place = 14;
    for (String each : all.split(", ")) {
      int blank = each.lastIndexOf(' ');
      int bytes = Integer.parseInt(each.substring(blank + 1));
      fields.put(each.substring(0, blank), new Field(place, bytes));
      place += bytes;
    }
    return fields;
  }

  private static byte[] number(Field field, Number value) {
    ByteBuffer bytes = ByteBuffer.allocate(field.bytes());
    switch (field.bytes()) {
      case 1 -> bytes.put(value.byteValue());
      case Short.BYTES -> bytes.putShort(value.shortValue());
      case Integer.BYTES -> bytes.putInt(value.intValue());
      default -> {
        if (value instanceof Double rate) {
          bytes.putDouble(rate);
        } else {
          bytes.putLong(value.longValue());
        }
      }
    }
    return bytes.array();
  }

  private static byte[] text(String value) {
    byte[] bytes = value.getBytes(StandardCharsets.ISO_8859_1);
    return ByteBuffer.allocate(2 + bytes.length).putShort((short) bytes.length).put(bytes).array();
  }

  /** With checksums that fit, as somebody would who wants it to be taken. */
  private static byte[] madeUp(Field field, byte[] value) throws IOException {
    byte[] sample = sample();
    int longer = value.length - field.bytes();
    ByteBuffer changed =
        ByteBuffer.allocate(sample.length + longer)
            .put(sample, 0, field.place())
            .put(value)
            .put(
                sample,
                field.place() + field.bytes(),
                sample.length - field.place() - field.bytes())
            .putInt(10, ByteBuffer.wrap(sample).getInt(10) + longer);
    byte[] bytes = changed.array();
    int header = 14 + changed.getInt(10);
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, 0, header);
    ByteBuffer.wrap(bytes).putInt(header, (int) checksum.getValue());
    MessageDigest digest = SnapshotFormat.digest();
    int end = bytes.length - digest.getDigestLength();
    digest.update(bytes, 0, end);
    System.arraycopy(digest.digest(), 0, bytes, end, digest.getDigestLength());
    return bytes;
  }

  /** Each of them would be in the catalog otherwise, where no process could read it. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          capacity                          | 0
          capacity                          | -1
          capacity                          | 1099511627777
          capacity                          | 9223372036854775807
          lease                             | 0
          lease                             | -1
          lease                             | 60001
          retention                         | -1
          keysAdded                         | -1
          keysAdded                         | 1099511627777
          keysAdded                         | 9223372036854775807
          keysRemoved                       | -1
          keysRemoved                       | 1
          lastSequence                      | -1
          lastSequence                      | 1152921504606846977
          lastToken                         | 0
          delta                             | 2
          growable                          | 2
          retainHashes                      | -1
          removablePercent                  | -1
          removablePercent                  | 101
          renewed                           | 2
          window                            | 2
          generations                       | 0
          generations                       | 65
          capacity of generation 1          | 0
          capacity of generation 1          | -9223372036854775808
          capacity of generation 1          | 1099511627777
          bits of generation 1              | 0
          bits of generation 1              | -64
          bits of generation 1              | 63
          bits of generation 1              | 4398046511105
          bits of generation 1              | 64
          bits of generation 1              | 1000000
          hashes of generation 1            | 0
          hashes of generation 1            | -1
          hashes of generation 1            | 65
          """)
  void anImpossibleNumberIsRefusedByItsName(String name, long value) throws IOException {
    Field field = fields().get(name);

    assertRefused(madeUp(field, number(field, value)), name.replaceAll(" .*", ""), "" + value);
  }

  @ParameterizedTest
  @ValueSource(strings = {"falsePositiveRate", "falsePositiveRate of generation 1"})
  void anImpossibleRateIsRefusedByItsName(String name) throws IOException {
    Field field = fields().get(name);
    for (double rate :
        new double[] {
          0,
          -0.0,
          -0.01,
          1.5,
          1e-300,
          Double.NaN,
          Double.POSITIVE_INFINITY,
          Double.NEGATIVE_INFINITY
        }) {
      assertRefused(madeUp(field, number(field, rate)), name, "" + rate);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          name      | a\1bc
          name      | aébc
          keyType   | custom:order id.v1
          keyType   | cust:order-id.1234
          hash      | xxh3_65
          layout    | STANDAR1
          onFull  | SING
          """)
  void anImpossibleTextIsRefused(String name, String value) throws IOException {
    Field field = fields().get(name);

    assertThatThrownBy(() -> read(madeUp(field, text(value))))
        .as(name)
        .isExactlyInstanceOf(InvalidExportException.class)
        .hasMessageStartingWith("This export cannot be imported. ");
  }

  private static void assertRefused(byte[] bytes, String field, String value) {
    assertThatThrownBy(() -> read(bytes))
        .isExactlyInstanceOf(InvalidExportException.class)
        .hasMessageStartingWith("This export cannot be imported. ")
        .hasMessageContaining(field)
        .hasMessageContaining(value);
  }

  /** What the two tests before change would be taken otherwise. */
  @Test
  void aForgedButValidHeaderIsAccepted() throws IOException {
    Field field = fields().get("keysAdded");
    try (SnapshotReader reader =
        new SnapshotReader(
            new ByteArrayInputStream(madeUp(field, number(field, Sizing.MAX_CAPACITY))))) {
      reader.stream(new Recorder());
      assertThat(reader.header().keysAdded()).isEqualTo(Sizing.MAX_CAPACITY);
    }
  }

  @Test
  void impossibleSlotsAreRefused() throws IOException {
    for (long[] slots :
        List.of(
            new long[] {1, 1L << 36},
            new long[] {2, 0},
            new long[] {-1, 0},
            new long[] {1, 1, 0, 1},
            new long[] {0, 1, 0, 1})) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (SnapshotWriter writer = new SnapshotWriter(bytes, header(SMALL))) {
        for (int i = 0; i < slots.length; i += 2) {
          writer.slot(0, slots[i], slots[i + 1]);
        }
        writer.finish();
      }
      assertRefused(bytes.toByteArray(), Arrays.toString(slots));
    }
  }

  @Test
  void aFrameOfMoreBytesThanItSaysIsRefused() throws IOException {
    Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION, true);
    deflater.setInput(new byte[64 << 20]);
    deflater.finish();
    byte[] bomb = new byte[SnapshotFormat.MOST_FRAME_BYTES];
    int stored = deflater.deflate(bomb);
    deflater.end();
    byte[] sample = sample();
    int header = 14 + ByteBuffer.wrap(sample).getInt(10) + 4;
    for (int length : new int[] {stored + 1, SnapshotFormat.MOST_FRAME_BYTES, 64 << 20}) {
      ByteBuffer file = ByteBuffer.allocate(header + 9 + stored);
      file.put(sample, 0, header).put(SnapshotFormat.SLOTS).putInt(length).putInt(stored);
      file.put(bomb, 0, stored);
      assertRefused(file.array(), "as long as " + length);
    }
  }

  @Test
  void writtenFramesAreFlushedAtOnce() throws IOException {
    long slots = 2_000_000;
    long[] written = {0};
    OutputStream counting =
        new OutputStream() {
          @Override
          public void write(int one) {
            written[0]++;
          }

          @Override
          public void write(byte[] bytes, int from, int length) {
            written[0] += length;
          }
        };
    Random random = new Random(1);
    try (SnapshotWriter writer = new SnapshotWriter(counting, header(LARGE))) {
      long most = 0;
      for (long slot = 0; slot < slots; slot++) {
        writer.slot(0, slot, random.nextLong());
        most = Math.max(most, slot * Long.BYTES - written[0]);
      }
      assertThat(most).isLessThan(2L * SnapshotFormat.MOST_FRAME_BYTES);
      writer.finish();
    }
    assertThat(written[0]).isBetween(slots * Long.BYTES, slots * (Long.BYTES + 1));
  }

  @Test
  void anEmptyFilterIsExported() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (SnapshotWriter writer = new SnapshotWriter(bytes, header(SMALL))) {
      writer.finish();
    }
    assertThatCode(() -> read(bytes.toByteArray())).doesNotThrowAnyException();
    assertThat(bytes.size()).isLessThan(300);
  }
}
