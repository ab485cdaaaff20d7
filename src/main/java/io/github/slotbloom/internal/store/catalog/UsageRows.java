package io.github.slotbloom.internal.store.catalog;

import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.sum;
import static org.jooq.impl.DSL.val;

import io.github.slotbloom.internal.store.Tables.Usages;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.report.FilterUsage;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.impl.SQLDataType;

/** Reads and writes the table {@code bloom_usage}. */
public final class UsageRows {

  private static final Field<String> TODAY = field("UTC_DATE()", SQLDataType.VARCHAR);

  private UsageRows() {}

  /**
   * Adds counts to the row of today, unless another transaction holds that row: no call waits for
   * it.
   *
   * @return true if the counts were added
   */
  public static boolean add(Tx tx, long filterId, long epoch, FilterUsage usage) {
    Condition today =
        Usages.FILTER_ID.eq(filterId).and(Usages.EPOCH.eq(epoch)).and(Usages.DAY.eq(TODAY));
    boolean free =
        tx.dsl()
            .selectOne()
            .from(Usages.TABLE)
            .where(today)
            .forUpdate()
            .skipLocked()
            .fetchOptional()
            .isPresent();
    if (!free && tx.dsl().fetchExists(Usages.TABLE, today)) {
      return false;
    }
    tx.dsl()
        .insertInto(Usages.TABLE)
        .set(Usages.FILTER_ID, filterId)
        .set(Usages.EPOCH, epoch)
        .set(Usages.DAY, TODAY)
        .set(Usages.NEGATIVES, usage.negatives())
        .set(Usages.POSITIVES, usage.positives())
        .set(Usages.NEW_KEYS, usage.newKeys())
        .set(Usages.SEEN_KEYS, usage.seenKeys())
        .set(Usages.FALSE_POSITIVES, usage.falsePositives())
        .onDuplicateKeyUpdate()
        .set(Usages.NEGATIVES, Usages.NEGATIVES.plus(usage.negatives()))
        .set(Usages.POSITIVES, Usages.POSITIVES.plus(usage.positives()))
        .set(Usages.NEW_KEYS, Usages.NEW_KEYS.plus(usage.newKeys()))
        .set(Usages.SEEN_KEYS, Usages.SEEN_KEYS.plus(usage.seenKeys()))
        .set(Usages.FALSE_POSITIVES, Usages.FALSE_POSITIVES.plus(usage.falsePositives()))
        .execute();
    return true;
  }

  /** Returns the sum of all processes' counts in one epoch over the last days, including today. */
  public static FilterUsage sumOfDays(Tx tx, long filterId, long epoch, int days) {
    return tx.dsl()
        .select(
            total(Usages.NEGATIVES),
            total(Usages.POSITIVES),
            total(Usages.NEW_KEYS),
            total(Usages.SEEN_KEYS),
            total(Usages.FALSE_POSITIVES))
        .from(Usages.TABLE)
        .where(Usages.FILTER_ID.eq(filterId))
        .and(Usages.EPOCH.eq(epoch))
        .and(condition("{0} > UTC_DATE() - INTERVAL {1} DAY", Usages.DAY, val(days)))
        .fetchSingle(UsageRows::usage);
  }

  private static Field<Long> total(Field<Long> count) {
    return coalesce(sum(count), 0).cast(SQLDataType.BIGINT).as(count.getName());
  }

  private static FilterUsage usage(Record row) {
    return new FilterUsage(
        row.get(Usages.NEGATIVES.getName(), Long.class),
        row.get(Usages.POSITIVES.getName(), Long.class),
        row.get(Usages.NEW_KEYS.getName(), Long.class),
        row.get(Usages.SEEN_KEYS.getName(), Long.class),
        row.get(Usages.FALSE_POSITIVES.getName(), Long.class));
  }
}
