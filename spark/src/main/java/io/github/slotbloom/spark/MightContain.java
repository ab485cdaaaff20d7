package io.github.slotbloom.spark;

import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.api.java.UDF1;
import org.jspecify.annotations.Nullable;

/** Asks a snapshot that each executor has. Thread-safe. */
final class MightContain implements UDF1<Object, Boolean> {

  private static final long serialVersionUID = 1L;

  private final Broadcast<FilterSnapshot> snapshot;

  MightContain(Broadcast<FilterSnapshot> snapshot) {
    this.snapshot = snapshot;
  }

  /** Answers null for null, as functions of SQL do. */
  @Override
  public @Nullable Boolean call(@Nullable Object key) {
    return key == null ? null : (Boolean) snapshot.value().mightContain(key);
  }
}
