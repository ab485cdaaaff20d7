package io.github.slotbloom.cli.line;

import io.github.slotbloom.KeySource;
import io.github.slotbloom.cli.CommandException;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Reads a key from the first column of a row, in the same format as in a line. */
public final class RowKeys<K> implements KeySource.RowKey<K> {

  private final KeyFormat<K> format;

  public RowKeys(KeyFormat<K> format) {
    this.format = format;
  }

  @Override
  public K of(ResultSet row) throws SQLException {
    byte[] written = row.getBytes(1);
    if (written == null) {
      throw new CommandException(
          "The query returned a row whose first column is NULL, which cannot be a key; exclude such"
              + " rows with WHERE ... IS NOT NULL.",
          null);
    }
    try {
      return format.parse(written);
    } catch (BadKeyException e) {
      throw new CommandException(
          "The query returned a row whose first column is not a key: " + e.getMessage() + ".", e);
    }
  }
}
