package io.github.slotbloom.internal.snapshot;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.core.Seed;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.UnsupportedVersionException;
import io.github.slotbloom.internal.sql.Quoted;
import io.github.slotbloom.internal.store.filter.Bucket;
import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.KeyCounts;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes the bytes of a header. Decoding checks all values as if they were forged: a
 * checksum detects damage, not intent, and the catalog must never hold values that this library
 * would not store.
 */
final class HeaderFormat {

  /**
   * Growing makes far fewer generations, since each one has half the false positive rate of the one
   * before.
   */
  private static final int MOST_GENERATIONS = 64;

  /** Each active bucket can have grown, though only a few do so more than once. */
  private static final int MOST_OF_WINDOW = 1000;

  /** More than a bucket can have. */
  private static final long MOST_BUCKET_MILLIS = 1L << 40;

  /** A number of a bucket beyond all dates. */
  private static final long MOST_BUCKETS = 1L << 40;

  /** More than any journal has, and far from where a next number would overflow. */
  private static final long MOST_ENTRIES = 1L << 60;

  private static final int MOST_NAME_BYTES = 800;
  private static final int MOST_TEXT_BYTES = 64;
  private static final long LONGEST_LEASE_MILLIS = 60_000;

  private HeaderFormat() {}

  static byte[] encode(SnapshotHeader header) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      writeText(out, header.name());
      writeText(out, header.keyType());
      writeText(out, header.hash());
      out.writeLong(header.seed().value());
      writeText(out, header.layout().name());
      out.writeByte(header.growable() ? 1 : 0);
      out.writeByte(header.retainHashes() ? 1 : 0);
      out.writeByte(header.removablePercent());
      out.writeByte(header.renewed() ? 1 : 0);
      writeText(out, header.onFull().name());
      out.writeLong(header.capacity());
      out.writeDouble(header.falsePositiveRate());
      out.writeInt(Math.toIntExact(header.lease().toMillis()));
      out.writeInt(Math.toIntExact(header.retention().toSeconds()));
      out.writeLong(header.keysAdded());
      out.writeLong(header.keysRemoved());
      writeCursor(out, header.last());
      out.writeByte(header.base() == null ? 0 : 1);
      if (header.base() != null) {
        writeCursor(out, header.base());
      }
      out.writeLong(header.createdAt().toEpochMilli());
      out.writeLong(header.exportedAt().toEpochMilli());
      writeWindow(out, header);
      out.writeShort(header.generations().size());
      for (GenerationRecord generation : header.generations()) {
        writeGeneration(out, generation);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void writeCursor(DataOutputStream out, Cursor entry) throws IOException {
    out.writeLong(entry.seq());
    out.writeLong(entry.token());
  }

  private static void writeWindow(DataOutputStream out, SnapshotHeader header) throws IOException {
    Window window = header.window();
    out.writeByte(window == null ? 0 : 1);
    if (window != null) {
      out.writeLong(window.bucketLength().toMillis());
      out.writeShort(window.buckets());
      out.writeByte(window.renews() ? 1 : 0);
      out.writeLong(header.keysRenewed());
    }
  }

  private static void writeGeneration(DataOutputStream out, GenerationRecord generation)
      throws IOException {
    out.writeLong(generation.capacity());
    out.writeDouble(generation.falsePositiveRate());
    out.writeLong(generation.parameters().bits());
    out.writeInt(generation.parameters().hashes());
    Bucket bucket = generation.bucket();
    if (bucket != null) {
      out.writeLong(bucket.number());
      out.writeLong(generation.countsOrNone().keys());
      out.writeLong(generation.countsOrNone().renewed());
    }
  }

  private static void writeText(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeShort(bytes.length);
    out.write(bytes);
  }

  /**
   * Decodes a header.
   *
   * @throws InvalidParameterException if a value cannot be right, or the bytes are not a header
   * @throws UnsupportedVersionException if a value is of a later version
   */
  static SnapshotHeader decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    try {
      SnapshotHeader header = read(in);
      require(!in.hasRemaining(), "the number of bytes after its end", in.remaining());
      return header;
    } catch (BufferUnderflowException e) {
      throw new InvalidParameterException("it is too short.");
    }
  }

  private static SnapshotHeader read(ByteBuffer in) {
    String name = new FilterName(readUtf8(in, "name", MOST_NAME_BYTES)).value();
    String keyType = readText(in, "keyType");
    require(KeyType.isId(keyType), "keyType", keyType);
    HashAlgorithm hash = HashAlgorithm.byId(readText(in, "hash"));
    long seed = in.getLong();
    hash.requireSeed(seed);
    Layout layout = readChoice(Layout.class, in, "layout");
    boolean growable = readFlag(in, "growable");
    boolean retainHashes = readFlag(in, "retainHashes");
    int removablePercent = in.get();
    require(removablePercent >= 0 && removablePercent <= 100, "removablePercent", removablePercent);
    boolean renewed = readFlag(in, "renewed");
    OnFull onFull = readChoice(OnFull.class, in, "onFull");
    require(growable || onFull != OnFull.GROW, "onFull of a filter that cannot grow", onFull);
    long capacity = readCapacity(in, "capacity");
    double rate = readRate(in, "falsePositiveRate");
    long leaseMillis = in.getInt();
    require(leaseMillis >= 1 && leaseMillis <= LONGEST_LEASE_MILLIS, "lease", leaseMillis);
    long retention = in.getInt();
    require(retention >= 0, "retention", retention);
    long keysAdded = readCount(in, "keysAdded");
    long keysRemoved = readCount(in, "keysRemoved");
    require(removablePercent > 0 || keysRemoved == 0, "keysRemoved", keysRemoved);
    Cursor last = readCursor(in, "last");
    Cursor base = readFlag(in, "delta") ? readCursor(in, "base") : null;
    if (base != null) {
      require(base.seq() <= last.seq(), "baseSequence", base.seq());
    }
    Instant createdAt = Instant.ofEpochMilli(in.getLong());
    Instant exportedAt = Instant.ofEpochMilli(in.getLong());
    boolean isWindow = readFlag(in, "window");
    require(base == null || !isWindow, "window of a delta", isWindow);
    Window window = isWindow ? readWindow(in) : null;
    long keysRenewed = isWindow ? readCount(in, "keysRenewed") : 0;
    List<GenerationRecord> generations = readGenerations(in, layout, window);
    require(
        generations.size() == 1 || (renewed && (growable || isWindow)),
        "the number of generations of a filter that never grew",
        generations.size());
    double rates = generations.stream().mapToDouble(GenerationRecord::falsePositiveRate).sum();
    require(
        Sizing.isWithin(rates, rate),
        "falsePositiveRate " + rate + " is less than that of its generations together, which",
        rates);
    return new SnapshotHeader(
        name,
        keyType,
        hash.id(),
        Seed.of(hash.id(), seed),
        layout,
        growable,
        retainHashes,
        removablePercent,
        window,
        renewed,
        onFull,
        capacity,
        rate,
        Duration.ofMillis(leaseMillis),
        Duration.ofSeconds(retention),
        keysAdded,
        keysRemoved,
        keysRenewed,
        last,
        base,
        createdAt,
        exportedAt,
        generations);
  }

  private static Cursor readCursor(ByteBuffer in, String which) {
    long sequence = in.getLong();
    require(sequence >= 0 && sequence <= MOST_ENTRIES, which + "Sequence", sequence);
    long token = in.getLong();
    require(token != 0, which + "Token", token);
    return new Cursor(sequence, token);
  }

  private static Window readWindow(ByteBuffer in) {
    long bucketMillis = in.getLong();
    int buckets = Short.toUnsignedInt(in.getShort());
    boolean renews = readFlag(in, "renews");
    require(buckets >= 1 && buckets <= Window.MAX_BUCKETS, "the number of buckets", buckets);
    require(bucketMillis >= 1 && bucketMillis <= MOST_BUCKET_MILLIS, "bucketMillis", bucketMillis);
    return new Window(Duration.ofMillis(bucketMillis * buckets), buckets, renews);
  }

  private static KeyCounts readCounts(ByteBuffer in, long bucket) {
    long keysAdded = readCount(in, "keysAdded of bucket " + bucket);
    return new KeyCounts(keysAdded, 0, readCount(in, "keysRenewed of bucket " + bucket));
  }

  private static long readCount(ByteBuffer in, String field) {
    long count = in.getLong();
    require(count >= 0 && count <= Sizing.MAX_CAPACITY, field, count);
    return count;
  }

  private static List<GenerationRecord> readGenerations(
      ByteBuffer in, Layout layout, @Nullable Window window) {
    int count = Short.toUnsignedInt(in.getShort());
    int most = window != null ? MOST_OF_WINDOW : MOST_GENERATIONS;
    require(count >= 1 && count <= most, "the number of generations", count);
    List<GenerationRecord> generations = new ArrayList<>(count);
    long bucket = 0;
    for (int i = 1; i <= count; i++) {
      GenerationRecord generation = readGeneration(in, layout, i);
      if (window != null) {
        long number = in.getLong();
        require(number >= bucket && number <= MOST_BUCKETS, "the number of a bucket", number);
        bucket = number;
        generation =
            generation.in(new Bucket(number, window.buckets())).counting(readCounts(in, number));
      }
      generations.add(generation);
    }
    return generations;
  }

  private static GenerationRecord readGeneration(ByteBuffer in, Layout layout, int number) {
    String which = " of generation " + number;
    long capacity = readCapacity(in, "capacity" + which);
    double rate = readRate(in, "falsePositiveRate" + which);
    long bits = in.getLong();
    int hashes = in.getInt();
    BloomParameters parameters;
    try {
      parameters = new BloomParameters(layout, bits, hashes);
    } catch (InvalidParameterException e) {
      throw new InvalidParameterException("The size" + which + " cannot be: " + e.getMessage());
    }
    if (!Sizing.fits(parameters, capacity, rate)) {
      throw new InvalidParameterException(
          String.format(
              Locale.ROOT,
              "falsePositiveRate%s is %s, which %d bits and %d hashes for %d keys do not have, or"
                  + " have with far fewer bits.",
              which,
              rate,
              bits,
              hashes,
              capacity));
    }
    return GenerationRecord.first(number, capacity, rate, parameters);
  }

  private static String readText(ByteBuffer in, String field) {
    String text = readUtf8(in, field, MOST_TEXT_BYTES);
    require(text.chars().allMatch(c -> c > ' ' && c <= '~'), field, Quoted.of(text));
    return text;
  }

  private static String readUtf8(ByteBuffer in, String field, int mostBytes) {
    int length = Short.toUnsignedInt(in.getShort());
    require(length <= mostBytes, "the length of " + field, length);
    byte[] bytes = new byte[length];
    in.get(bytes);
    String text = new String(bytes, StandardCharsets.UTF_8);
    require(Arrays.equals(bytes, text.getBytes(StandardCharsets.UTF_8)), field, Quoted.of(text));
    return text;
  }

  private static boolean readFlag(ByteBuffer in, String field) {
    byte flag = in.get();
    require(flag == 0 || flag == 1, field, flag);
    return flag == 1;
  }

  private static long readCapacity(ByteBuffer in, String field) {
    long capacity = in.getLong();
    require(capacity >= 1 && capacity <= Sizing.MAX_CAPACITY, field, capacity);
    return capacity;
  }

  private static double readRate(ByteBuffer in, String field) {
    double rate = in.getDouble();
    require(rate > 0 && rate <= 1, field, rate);
    return rate;
  }

  private static <E extends Enum<E>> E readChoice(Class<E> type, ByteBuffer in, String field) {
    String stored = readText(in, field);
    for (E value : type.getEnumConstants()) {
      if (value.name().equals(stored)) {
        return value;
      }
    }
    throw new UnsupportedVersionException(
        field + " is " + stored + ", which this version does not know.");
  }

  private static void require(boolean possible, String field, Object value) {
    if (!possible) {
      throw new InvalidParameterException(field + " is " + value + ".");
    }
  }
}
