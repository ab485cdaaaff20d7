package io.github.slotbloom;

import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.transfer.DeltaBase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * What a delta continues, for {@link FilterAdmin#exportTo(ExportBase, Path,
 * java.nio.file.CopyOption...)}. Immutable and thread-safe.
 */
public final class ExportBase {

  final DeltaBase read;

  private ExportBase(DeltaBase read) {
    this.read = read;
  }

  /**
   * Reads an export to its end, and checks it.
   *
   * @param export a full export, or a delta
   * @return the base
   * @throws IOException if it cannot be read
   * @throws io.github.slotbloom.error.InvalidExportException if it is damaged, or no export
   */
  public static ExportBase read(Path export) throws IOException {
    return new ExportBase(DeltaBase.read(export));
  }

  /**
   * Returns an export that is not at hand. Whether it is of the same filter, the import finds out.
   * If a failover loses entries while the export is written, nothing does: prefer {@link #read}.
   *
   * @param sequence number of the last journal entry of the export, at least 0: {@link
   *     FilterInfo#lastSequence} of a filter that was imported from it
   * @return the base
   * @throws InvalidParameterException if the number is negative
   */
  public static ExportBase entry(long sequence) {
    if (sequence < 0) {
      throw new InvalidParameterException(
          "An export cannot end with entry " + sequence + ". Give a number from 0 on.");
    }
    return new ExportBase(new DeltaBase("entry " + sequence, sequence, List.of()));
  }
}
