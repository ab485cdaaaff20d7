package io.github.slotbloom.internal.snapshot;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Seed;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.core.WhenFull;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.UnsupportedVersionException;
import io.github.slotbloom.internal.sql.Quoted;
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

/**
 * Encodes and decodes the bytes of a header. Decoding checks all values as if they were forged: a
 * checksum detects damage, not intent, and the catalog must never hold values that this library
 * would not store.
 */
final class HeaderFormat {

  /**
   * Growing makes far fewer generations, since each one has half the error rate of the one before.
   */
  private static final int MOST_GENERATIONS = 64;

  /** Each bucket that answers can have grown, though only a few do so more than once. */
  private static final int MOST_OF_WINDOW = 1000;

  /** More than a bucket can have. */
  private static final long MOST_BUCKET_MILLIS = 1L << 40;

  /** A number of a bucket beyond all dates. */
  private static final long MOST_BUCKETS = 1L << 40;

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
      writeText(out, header.whenFull().name());
      out.writeLong(header.capacity());
      out.writeDouble(header.falsePositiveRate());
      out.writeInt(Math.toIntExact(header.lease().toMillis()));
      out.writeInt(Math.toIntExact(header.retention().toSeconds()));
      out.writeLong(header.keysAdded());
      out.writeLong(header.keysRemoved());
      out.writeLong(header.lastSequence());
      out.writeLong(header.createdAt().toEpochMilli());
      out.writeLong(header.exportedAt().toEpochMilli());
      writeWindow(out, header);
      out.writeShort(header.generations().size());
      for (SnapshotGeneration generation : header.generations()) {
        writeGeneration(out, generation);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
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

  private static void writeGeneration(DataOutputStream out, SnapshotGeneration generation)
      throws IOException {
    out.writeLong(generation.capacity());
    out.writeDouble(generation.falsePositiveRate());
    out.writeLong(generation.parameters().bits());
    out.writeInt(generation.parameters().hashes());
    SnapshotBucket bucket = generation.bucket();
    if (bucket != null) {
      out.writeLong(bucket.number());
      out.writeLong(bucket.keysAdded());
      out.writeLong(bucket.keysRenewed());
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
      throw new InvalidParameterException("it is shorter than what it should hold.");
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
    WhenFull whenFull = readChoice(WhenFull.class, in, "whenFull");
    require(
        growable || whenFull != WhenFull.GROW, "whenFull of a filter that cannot grow", whenFull);
    long capacity = readCapacity(in, "capacity");
    double rate = readRate(in, "falsePositiveRate");
    long leaseMillis = in.getInt();
    require(leaseMillis >= 1 && leaseMillis <= LONGEST_LEASE_MILLIS, "lease", leaseMillis);
    long retention = in.getInt();
    require(retention >= 0, "retention", retention);
    long keysAdded = readCount(in, "keysAdded");
    long keysRemoved = readCount(in, "keysRemoved");
    require(removablePercent > 0 || keysRemoved == 0, "keysRemoved", keysRemoved);
    long lastSequence = in.getLong();
    require(lastSequence >= 0, "lastSequence", lastSequence);
    Instant createdAt = Instant.ofEpochMilli(in.getLong());
    Instant exportedAt = Instant.ofEpochMilli(in.getLong());
    boolean isWindow = readFlag(in, "window");
    Window window = isWindow ? readWindow(in) : null;
    long keysRenewed = isWindow ? readCount(in, "keysRenewed") : 0;
    List<SnapshotGeneration> generations = readGenerations(in, layout, isWindow);
    require(
        generations.size() == 1 || (renewed && (growable || isWindow)),
        "the number of generations of a filter that never grew",
        generations.size());
    double rates = generations.stream().mapToDouble(SnapshotGeneration::falsePositiveRate).sum();
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
        whenFull,
        capacity,
        rate,
        Duration.ofMillis(leaseMillis),
        Duration.ofSeconds(retention),
        keysAdded,
        keysRemoved,
        keysRenewed,
        lastSequence,
        createdAt,
        exportedAt,
        generations);
  }

  private static Window readWindow(ByteBuffer in) {
    long bucketMillis = in.getLong();
    int buckets = Short.toUnsignedInt(in.getShort());
    boolean renews = readFlag(in, "renews");
    require(buckets >= 1 && buckets <= Window.MAX_BUCKETS, "the number of buckets", buckets);
    require(bucketMillis >= 1 && bucketMillis <= MOST_BUCKET_MILLIS, "bucketMillis", bucketMillis);
    return new Window(Duration.ofMillis(bucketMillis * buckets), buckets, renews);
  }

  private static SnapshotBucket readBucket(ByteBuffer in, long atLeast) {
    long number = in.getLong();
    require(number >= atLeast && number <= MOST_BUCKETS, "the number of a bucket", number);
    return new SnapshotBucket(
        number,
        readCount(in, "keysAdded of bucket " + number),
        readCount(in, "keysRenewed of bucket " + number));
  }

  private static long readCount(ByteBuffer in, String field) {
    long count = in.getLong();
    require(count >= 0 && count <= Sizing.MAX_CAPACITY, field, count);
    return count;
  }

  private static List<SnapshotGeneration> readGenerations(
      ByteBuffer in, Layout layout, boolean isWindow) {
    int count = Short.toUnsignedInt(in.getShort());
    int most = isWindow ? MOST_OF_WINDOW : MOST_GENERATIONS;
    require(count >= 1 && count <= most, "the number of generations", count);
    List<SnapshotGeneration> generations = new ArrayList<>(count);
    long bucket = 0;
    for (int i = 1; i <= count; i++) {
      SnapshotGeneration generation = readGeneration(in, layout, " of generation " + i);
      if (isWindow) {
        SnapshotBucket its = readBucket(in, bucket);
        bucket = its.number();
        generation = generation.in(its);
      }
      generations.add(generation);
    }
    return generations;
  }

  private static SnapshotGeneration readGeneration(ByteBuffer in, Layout layout, String which) {
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
              "falsePositiveRate%s is %s, which %d bits and %d hashes for %d keys do not have, or have"
                  + " with far fewer bits.",
              which,
              rate,
              bits,
              hashes,
              capacity));
    }
    return new SnapshotGeneration(capacity, rate, parameters, null);
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
