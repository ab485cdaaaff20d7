package io.github.slotbloom.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyHash;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.core.Seed;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.internal.snapshot.SnapshotHeader;
import io.github.slotbloom.internal.snapshot.SnapshotWriter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class FilterSnapshotTest {

  private static final int KEYS = 30_000;
  private static final double RATE = 0.01;
  private static final BloomParameters SHAPE = Sizing.forCapacity(Layout.BLOCKED, KEYS, RATE);

  /** Many are removed, so that they take several frames of the export. */
  @Test
  void removedKeysAreNotThere() throws IOException {
    KeyHash hash = HashAlgorithm.XXH3_64.create(0);
    long[] removed =
        LongStream.range(0, KEYS).filter(key -> key % 3 > 0).map(hash::hashLong).sorted().toArray();
    ByteArrayOutputStream export = new ByteArrayOutputStream();
    try (SnapshotWriter writer = new SnapshotWriter(export, header(removed.length))) {
      writer.removed(removed);
      for (long slot = 0; slot < SHAPE.slots(); slot++) {
        writer.slot(0, slot, -1); // all bits are set
      }
      writer.finish();
    }
    FilterSnapshot snapshot = FilterSnapshot.read(new ByteArrayInputStream(export.toByteArray()));
    assertThat(snapshot.bytes()).isEqualTo(Long.BYTES * (SHAPE.slots() + removed.length));
    assertThat(LongStream.range(0, KEYS).filter(snapshot::mightContain))
        .containsExactlyElementsOf(
            LongStream.range(0, KEYS).filter(key -> key % 3 == 0).boxed().toList());
  }

  private static SnapshotHeader header(int removed) {
    return new SnapshotHeader(
        "numbers",
        "long",
        "xxh3_64",
        Seed.of("xxh3_64", 0),
        Layout.BLOCKED,
        false,
        false,
        100,
        null,
        false,
        OnFull.REFUSE,
        KEYS,
        RATE,
        Duration.ofSeconds(2),
        Duration.ofHours(2),
        KEYS,
        removed,
        0,
        SnapshotHeader.emptyJournal(),
        null,
        Instant.EPOCH,
        Instant.EPOCH,
        SnapshotHeader.sole(KEYS, RATE, SHAPE));
  }
}
