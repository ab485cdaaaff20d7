package io.github.slotbloom.internal.store.catalog;

import static org.jooq.impl.DSL.condition;

import io.github.slotbloom.internal.store.Tables;
import io.github.slotbloom.internal.store.Tables.Filters;
import io.github.slotbloom.internal.store.filter.FilterHead;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record;
import org.jspecify.annotations.Nullable;

/**
 * The time at which a filter expires, in SQL. Each statement compares it with the database clock as
 * it is when the statement begins. So a statement that waits for a lock across the moment comes
 * before it.
 */
public final class ExpirySql {

  /** The condition for a filter whose time is over. */
  static final Condition HAS_COME = condition("{0} <= UTC_TIMESTAMP(6)", Filters.EXPIRES_AT);

  static final Field<Long> MILLIS = Tables.millisOf(Filters.EXPIRES_AT).as("expires_millis");

  private static final DateTimeFormatter DATETIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneOffset.UTC);

  private ExpirySql() {}

  /**
   * Returns the condition, as text, for a filter that expires or does not as it did when it was
   * read, and whose time is not over. No clock is read for one that does not.
   */
  public static String lastsAsRead(FilterHead head) {
    return "`expires_at` " + (head.expiresAt() == null ? "is null" : "> utc_timestamp(6)");
  }

  /** Returns a time as it is stored; null for never. */
  static @Nullable String text(@Nullable Instant at) {
    return at == null ? null : DATETIME.format(at);
  }

  /** Returns the time from {@link #MILLIS}; null if the filter never expires. */
  static @Nullable Instant read(Record row) {
    Long millis = row.get(MILLIS);
    return millis == null ? null : Instant.ofEpochMilli(millis);
  }
}
