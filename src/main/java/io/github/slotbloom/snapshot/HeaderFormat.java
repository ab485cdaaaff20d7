package io.github.slotbloom.snapshot;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Seed;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.core.WhenFull;
import io.github.slotbloom.core.WriteMode;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.UnsupportedFormatException;
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
import java.util.List;

/**
 * The bytes of a header. What is read is checked as if somebody had made it up: a checksum tells
 * damage, not intent, and the catalog must never hold what this library would not store.
 */
final class HeaderFormat {

  /** Far more than growing can make, since each generation has half the error rate before. */
  private static final int MOST_GENERATIONS = 64;

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
      writeText(out, header.writeMode().name());
      out.writeByte(header.growable() ? 1 : 0);
      out.writeByte(header.retainHashes() ? 1 : 0);
      out.writeByte(header.renewed() ? 1 : 0);
      writeText(out, header.whenFull().name());
      out.writeLong(header.capacity());
      out.writeDouble(header.falsePositiveRate());
      out.writeInt(Math.toIntExact(header.lease().toMillis()));
      out.writeInt(Math.toIntExact(header.retention().toSeconds()));
      out.writeLong(header.keysAdded());
      out.writeLong(header.lastSequence());
      out.writeLong(header.createdAt().toEpochMilli());
      out.writeLong(header.exportedAt().toEpochMilli());
      out.writeShort(header.generations().size());
      for (SnapshotGeneration generation : header.generations()) {
        out.writeLong(generation.capacity());
        out.writeDouble(generation.falsePositiveRate());
        out.writeLong(generation.parameters().bits());
        out.writeInt(generation.parameters().hashes());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void writeText(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    out.writeShort(bytes.length);
    out.write(bytes);
  }

  /**
   * @throws InvalidParameterException if a value cannot be right, or the bytes are not a header
   * @throws UnsupportedFormatException if a value is of a later version
   */
  static SnapshotHeader decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    try {
      SnapshotHeader header = read(in);
      require(!in.hasRemaining(), "it goes on behind its end", "");
      return header;
    } catch (BufferUnderflowException e) {
      throw new InvalidParameterException("it is shorter than what it should hold.");
    }
  }

  private static SnapshotHeader read(ByteBuffer in) {
    String name = new FilterName(readText(in)).value();
    String keyType = readText(in);
    require(KeyType.isId(keyType), "it has a key type of an unknown form", "");
    HashAlgorithm hash = HashAlgorithm.byId(readText(in));
    long seed = in.getLong();
    hash.requireSeed(seed);
    Layout layout = readChoice(Layout.class, in);
    WriteMode writeMode = readChoice(WriteMode.class, in);
    boolean growable = readFlag(in);
    boolean retainHashes = readFlag(in);
    boolean renewed = readFlag(in);
    WhenFull whenFull = readChoice(WhenFull.class, in);
    require(
        growable || whenFull != WhenFull.GROW,
        "it is fixed, and when it is full it shall ",
        whenFull);
    long capacity = readCapacity(in);
    double rate = readRate(in);
    long leaseMillis = in.getInt();
    require(leaseMillis >= 1 && leaseMillis <= LONGEST_LEASE_MILLIS, "the lease is ", leaseMillis);
    long retention = in.getInt();
    require(retention >= 0, "the retention is ", retention);
    long keysAdded = in.getLong();
    require(keysAdded >= 0, "the number of keys is ", keysAdded);
    long lastSequence = in.getLong();
    require(lastSequence >= 0, "the last sequence number is ", lastSequence);
    Instant createdAt = Instant.ofEpochMilli(in.getLong());
    Instant exportedAt = Instant.ofEpochMilli(in.getLong());
    List<SnapshotGeneration> generations = readGenerations(in, layout);
    require(
        generations.size() == 1 || (growable && renewed),
        "it never grew, and its number of generations is ",
        generations.size());
    return new SnapshotHeader(
        name,
        keyType,
        hash.id(),
        Seed.of(hash.id(), seed),
        layout,
        writeMode,
        growable,
        retainHashes,
        renewed,
        whenFull,
        capacity,
        rate,
        Duration.ofMillis(leaseMillis),
        Duration.ofSeconds(retention),
        keysAdded,
        lastSequence,
        createdAt,
        exportedAt,
        generations);
  }

  private static List<SnapshotGeneration> readGenerations(ByteBuffer in, Layout layout) {
    int count = Short.toUnsignedInt(in.getShort());
    require(count >= 1 && count <= MOST_GENERATIONS, "the number of generations is ", count);
    List<SnapshotGeneration> generations = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      generations.add(
          new SnapshotGeneration(
              readCapacity(in),
              readRate(in),
              new BloomParameters(layout, in.getLong(), in.getInt())));
    }
    return generations;
  }

  private static String readText(ByteBuffer in) {
    int length = Short.toUnsignedInt(in.getShort());
    require(length <= MOST_TEXT_BYTES, "the length of a text is ", length);
    byte[] bytes = new byte[length];
    in.get(bytes);
    return new String(bytes, StandardCharsets.US_ASCII);
  }

  private static boolean readFlag(ByteBuffer in) {
    byte flag = in.get();
    require(flag == 0 || flag == 1, "a flag is ", flag);
    return flag == 1;
  }

  private static long readCapacity(ByteBuffer in) {
    long capacity = in.getLong();
    Sizing.requireCapacity(capacity);
    return capacity;
  }

  private static double readRate(ByteBuffer in) {
    double rate = in.getDouble();
    require(rate > 0 && rate <= 1, "an error rate is ", rate);
    return rate;
  }

  private static <E extends Enum<E>> E readChoice(Class<E> type, ByteBuffer in) {
    String stored = readText(in);
    for (E value : type.getEnumConstants()) {
      if (value.name().equals(stored)) {
        return value;
      }
    }
    throw new UnsupportedFormatException(
        "it has a " + type.getSimpleName() + " that this version does not know.");
  }

  private static void require(boolean possible, String what, Object value) {
    if (!possible) {
      throw new InvalidParameterException(what + value + ".");
    }
  }
}
