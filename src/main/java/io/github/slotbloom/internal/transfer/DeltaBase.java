package io.github.slotbloom.internal.transfer;

import io.github.slotbloom.internal.snapshot.SnapshotHeader;
import io.github.slotbloom.internal.snapshot.SnapshotReader;
import io.github.slotbloom.internal.store.filter.Cursor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What a delta continues.
 *
 * @param description part of a sentence
 * @param seq number of the entry after which the delta begins
 * @param known entries that the journal of the same filter has or had
 */
public record DeltaBase(String description, long seq, List<Cursor> known) {

  /** Reads an export to its end. */
  public static DeltaBase read(Path export) throws IOException {
    try (InputStream stream = Files.newInputStream(export);
        SnapshotReader reader = new SnapshotReader(stream)) {
      SnapshotHeader header = reader.header();
      return new DeltaBase(
          "%s, which holds filter %s of %s up to entry %s"
              .formatted(
                  export.getFileName(), header.name(), header.exportedAt(), header.last().seq()),
          header.last().seq(),
          List.of(header.last(), reader.readUpTo()));
    }
  }
}
