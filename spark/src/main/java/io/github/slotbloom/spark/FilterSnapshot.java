package io.github.slotbloom.spark;

import io.github.slotbloom.FilterAdmin;
import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyHash;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.error.InvalidExportException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.internal.snapshot.SnapshotHeader;
import io.github.slotbloom.internal.snapshot.SnapshotReader;
import io.github.slotbloom.internal.snapshot.SnapshotSink;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A filter as it was at one moment, in memory, without a database. Spark sends it to the executors,
 * which takes as many bytes as {@link #bytes} says, in each of them and in the driver. It includes
 * the seed of the hash function. Immutable and thread-safe.
 */
public final class FilterSnapshot implements Serializable {

  private static final long serialVersionUID = 1L;

  /** The most slots that fit into the largest array that every JVM can create. */
  private static final long MAX_SLOTS = Integer.MAX_VALUE - 8L;

  /**
   * @serial name of the filter
   */
  private final String name;

  /**
   * @serial id of the key type
   */
  private final String keyType;

  /**
   * @serial id of the hash function
   */
  private final String hash;

  /**
   * @serial seed of the hash function
   */
  private final long seed;

  /**
   * @serial where the bits of a key lie, in all generations
   */
  private final Layout layout;

  /**
   * @serial number of bits of each generation
   */
  private final long[] bits;

  /**
   * @serial number of bits a key, of each generation
   */
  private final int[] hashes;

  /**
   * @serial slots of each generation
   */
  private final long[][] slots;

  /**
   * @serial removed hashes, ascending
   */
  private final long[] removed;

  private transient volatile @Nullable Arithmetic arithmetic;

  private FilterSnapshot(SnapshotHeader header, long[][] slots, long[] removed) {
    List<BloomParameters> shapes = header.shapes();
    name = header.name();
    keyType = header.keyType();
    hash = header.hash();
    seed = header.seed().value();
    layout = header.layout();
    bits = shapes.stream().mapToLong(BloomParameters::bits).toArray();
    hashes = shapes.stream().mapToInt(BloomParameters::hashes).toArray();
    this.slots = slots;
    this.removed = removed;
  }

  /**
   * Takes a snapshot of a filter that is in the database, by an export into a temporary file that
   * only its owner can read.
   *
   * @param filter the administration of an existing filter, not a window
   * @return all keys whose add had returned when this method was called
   * @throws IOException if the temporary file cannot be written or read
   * @throws InvalidParameterException if the filter is a window, or too large for an array
   * @throws io.github.slotbloom.error.SlotBloomException as {@link FilterAdmin#exportTo} does
   */
  public static FilterSnapshot of(FilterAdmin filter) throws IOException {
    Path folder = Files.createTempDirectory("slotbloom");
    Path file = folder.resolve("export");
    try {
      filter.exportTo(file);
      try (InputStream stream = Files.newInputStream(file)) {
        return read(stream);
      }
    } finally {
      Files.deleteIfExists(file);
      Files.delete(folder);
    }
  }

  /**
   * Reads an export.
   *
   * @param stream what {@link FilterAdmin#exportTo} or {@link SparkFilters#build} wrote, to its
   *     end; the caller closes it
   * @return the filter
   * @throws IOException if reading fails
   * @throws InvalidExportException if it is damaged or no export
   * @throws InvalidParameterException if the filter is a window, or too large for an array
   */
  public static FilterSnapshot read(InputStream stream) throws IOException {
    try (SnapshotReader reader = new SnapshotReader(stream)) {
      SnapshotHeader header = reader.header();
      if (header.window() != null) {
        throw new InvalidParameterException(
            ("Filter %s is a window, whose keys expire, but the keys of a snapshot do not. Look"
                    + " keys up with BloomFilter.mightContain, or use a filter whose keys do not"
                    + " expire.")
                .formatted(header.name()));
      }
      Contents contents = new Contents(header);
      reader.stream(contents);
      return new FilterSnapshot(header, contents.slots, contents.removed());
    }
  }

  /** {@return the name of the filter when it was exported} */
  public String name() {
    return name;
  }

  /** {@return the memory that the bits and the removed hashes take, in bytes} */
  public long bytes() {
    long longs = removed.length;
    for (long[] generation : slots) {
      longs += generation.length;
    }
    return longs * Long.BYTES;
  }

  /**
   * Returns true if a key may have been added.
   *
   * @param value of a column, not null: a String for the key type {@code text}, a Long, Integer,
   *     Short or Byte for {@code long}, else a {@code byte[]}, which for a custom key type has the
   *     bytes that its encoder makes
   * @return false if the key was certainly not in the filter at the moment of the export
   * @throws io.github.slotbloom.error.InvalidKeyException if the value is of another type
   */
  public boolean mightContain(Object value) {
    return arithmetic().contains(value);
  }

  private Arithmetic arithmetic() {
    Arithmetic present = arithmetic;
    if (present == null) {
      present = new Arithmetic();
      arithmetic = present;
    }
    return present;
  }

  @Override
  public String toString() {
    return "snapshot of filter " + name;
  }

  /** Derived from the other fields, and so not sent. */
  private final class Arithmetic {
    private final ColumnKeys keys = new ColumnKeys(keyType);
    private final KeyType<Object> type = keys.keyType();
    private final KeyHash hashing = HashAlgorithm.byId(hash).create(seed);
    private final Probe[] probes = new Probe[bits.length];

    Arithmetic() {
      for (int i = 0; i < probes.length; i++) {
        probes[i] = Probe.of(new BloomParameters(layout, bits[i], hashes[i]));
      }
    }

    boolean contains(Object value) {
      long key = keys.hash(value, type, hashing);
      for (int i = 0; i < probes.length; i++) {
        long[] generation = slots[i];
        if (probes[i].isMember(key, slot -> generation[(int) slot])) {
          return Arrays.binarySearch(removed, key) < 0;
        }
      }
      return false;
    }
  }

  /** Collects what a reader reads. */
  private static final class Contents implements SnapshotSink {
    private final long[][] slots;
    private long[] removed = {};
    private int removedCount;

    Contents(SnapshotHeader header) {
      slots = new long[header.shapes().size()][];
      for (int i = 0; i < slots.length; i++) {
        long count = header.shapes().get(i).slots();
        if (count > MAX_SLOTS) {
          throw new InvalidParameterException(
              ("Filter %s has a generation of %s slots, but a snapshot holds at most %s. Look keys"
                      + " up with BloomFilter.mightContain.")
                  .formatted(header.name(), count, MAX_SLOTS));
        }
        slots[i] = new long[(int) count];
      }
    }

    @Override
    public void removed(long[] more) {
      int needed = Math.addExact(removedCount, more.length);
      if (needed > removed.length) {
        // Not frame by frame, or millions would be copied again for each of thousands of frames.
        long roomy = Math.max(needed, 2L * removed.length);
        removed = Arrays.copyOf(removed, (int) Math.min(MAX_SLOTS, roomy));
      }
      System.arraycopy(more, 0, removed, removedCount, more.length);
      removedCount = needed;
    }

    long[] removed() {
      return Arrays.copyOf(removed, removedCount);
    }

    @Override
    public void slot(int place, long slot, long bits) {
      slots[place][(int) slot] = bits;
    }

    @Override
    public void hashes(long[] hashes) {}
  }
}
