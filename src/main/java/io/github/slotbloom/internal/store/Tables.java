package io.github.slotbloom.internal.store;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;

import org.jooq.DataType;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jooq.types.ULong;

/** The database tables and their columns, for jOOQ. */
public final class Tables {

  /** The current time of the server's clock, in UTC. */
  public static final Field<String> UTC_NOW = DSL.field("UTC_TIMESTAMP(3)", SQLDataType.VARCHAR);

  private Tables() {}

  private static <T> Field<T> column(Table<?> table, String column, DataType<T> type) {
    return field(name(table.getName(), column), type);
  }

  /**
   * Returns a column of type DATETIME or DATE, in UTC. Java reads it as text: with the types for
   * dates the driver would apply the time zone of the JVM, which skips an hour each year.
   */
  private static Field<String> dateColumn(Table<?> table, String column) {
    return column(table, column, SQLDataType.VARCHAR);
  }

  /** Returns the milliseconds from the start of 1970 to a date, both in UTC. */
  public static Field<Long> millisOf(Field<?> date) {
    return DSL.field(
        "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', {0}) DIV 1000", SQLDataType.BIGINT, date);
  }

  /** One row per filter name ever used. */
  public static final class Names {
    public static final Table<Record> TABLE = table(name("bloom_name"));
    public static final Field<String> NAME = column(TABLE, "name", SQLDataType.VARCHAR);
    public static final Field<Integer> NEXT_GENERATION =
        column(TABLE, "next_generation", SQLDataType.INTEGER);

    private Names() {}
  }

  /** One row per filter. */
  public static final class Filters {
    public static final Table<Record> TABLE = table(name("bloom_filter"));
    public static final Field<Long> ID = column(TABLE, "id", SQLDataType.BIGINT);
    public static final Field<String> NAME = column(TABLE, "name", SQLDataType.VARCHAR);
    public static final Field<String> STATE = column(TABLE, "state", SQLDataType.VARCHAR);
    public static final Field<Integer> FORMAT_VERSION =
        column(TABLE, "format_version", SQLDataType.INTEGER);
    public static final Field<String> KEY_TYPE = column(TABLE, "key_type", SQLDataType.VARCHAR);
    public static final Field<String> HASH = column(TABLE, "hash", SQLDataType.VARCHAR);
    public static final Field<Long> SEED = column(TABLE, "seed", SQLDataType.BIGINT);
    public static final Field<String> LAYOUT = column(TABLE, "layout", SQLDataType.VARCHAR);
    public static final Field<String> WRITE_MODE = column(TABLE, "write_mode", SQLDataType.VARCHAR);
    public static final Field<Boolean> GROWABLE = column(TABLE, "growable", SQLDataType.BOOLEAN);
    public static final Field<Boolean> RETAIN_HASHES =
        column(TABLE, "retain_hashes", SQLDataType.BOOLEAN);
    public static final Field<Long> CAPACITY = column(TABLE, "capacity", SQLDataType.BIGINT);
    public static final Field<Double> RATE =
        column(TABLE, "false_positive_rate", SQLDataType.DOUBLE);
    public static final Field<Integer> LEASE_MILLIS =
        column(TABLE, "lease_millis", SQLDataType.INTEGER);
    public static final Field<Integer> RETENTION_SECONDS =
        column(TABLE, "retention_seconds", SQLDataType.INTEGER);
    public static final Field<Long> EPOCH = column(TABLE, "epoch", SQLDataType.BIGINT);
    public static final Field<Long> LAST_SEQ = column(TABLE, "last_seq", SQLDataType.BIGINT);
    public static final Field<Long> LAST_TOKEN = column(TABLE, "last_token", SQLDataType.BIGINT);
    public static final Field<Long> GENERATION_TOKEN =
        column(TABLE, "generation_token", SQLDataType.BIGINT);
    public static final Field<Long> KEYS_ADDED = column(TABLE, "keys_added", SQLDataType.BIGINT);
    public static final Field<String> ON_FULL = column(TABLE, "on_full", SQLDataType.VARCHAR);
    public static final Field<Boolean> IMPORTED = column(TABLE, "imported", SQLDataType.BOOLEAN);
    public static final Field<Long> DURABLE_TICKS =
        column(TABLE, "durable_ticks", SQLDataType.BIGINT);
    public static final Field<String> CREATED_AT = dateColumn(TABLE, "created_at");

    private Filters() {}
  }

  /** One row per generation. */
  public static final class Generations {
    public static final Table<Record> TABLE = table(name("bloom_generation"));
    public static final Field<Long> FILTER_ID = column(TABLE, "filter_id", SQLDataType.BIGINT);
    public static final Field<Integer> GENERATION =
        column(TABLE, "generation", SQLDataType.INTEGER);
    public static final Field<String> STATE = column(TABLE, "state", SQLDataType.VARCHAR);
    public static final Field<Long> CAPACITY = column(TABLE, "capacity", SQLDataType.BIGINT);
    public static final Field<Double> RATE =
        column(TABLE, "false_positive_rate", SQLDataType.DOUBLE);
    public static final Field<Long> BITS = column(TABLE, "bits", SQLDataType.BIGINT);
    public static final Field<Integer> HASHES = column(TABLE, "hashes", SQLDataType.INTEGER);
    public static final Field<Long> SINCE_SEQ = column(TABLE, "since_seq", SQLDataType.BIGINT);
    public static final Field<Long> SINCE_TOKEN = column(TABLE, "since_token", SQLDataType.BIGINT);
    public static final Field<Long> STATE_TOKEN = column(TABLE, "state_token", SQLDataType.BIGINT);
    public static final Field<Long> CUTOVER_SEQ = column(TABLE, "cutover_seq", SQLDataType.BIGINT);
    public static final Field<String> SLOT_TABLE = column(TABLE, "slot_table", SQLDataType.VARCHAR);
    public static final Field<String> CREATED_AT = dateColumn(TABLE, "created_at");

    private Generations() {}
  }

  /** One row per filter whose generations are being replaced. */
  public static final class Replacements {
    public static final Table<Record> TABLE = table(name("bloom_replacement"));
    public static final Field<Long> FILTER_ID = column(TABLE, "filter_id", SQLDataType.BIGINT);
    public static final Field<Integer> GENERATION =
        column(TABLE, "generation", SQLDataType.INTEGER);
    public static final Field<Long> CAPACITY = column(TABLE, "capacity", SQLDataType.BIGINT);
    public static final Field<Long> CAPACITY_BEFORE =
        column(TABLE, "capacity_before", SQLDataType.BIGINT);
    public static final Field<Long> KEYS_BEFORE = column(TABLE, "keys_before", SQLDataType.BIGINT);
    public static final Field<Long> OWNER = column(TABLE, "owner", SQLDataType.BIGINT);
    public static final Field<String> SOURCE = column(TABLE, "source", SQLDataType.VARCHAR);
    public static final Field<String> PHASE = column(TABLE, "phase", SQLDataType.VARCHAR);
    public static final Field<Long> KEYS_READ = column(TABLE, "keys_read", SQLDataType.BIGINT);
    public static final Field<String> BEGUN_AT = dateColumn(TABLE, "begun_at");
    public static final Field<String> UPDATED_AT = dateColumn(TABLE, "updated_at");

    private Replacements() {}
  }

  /** One row per filter: how far its journal is folded. */
  public static final class Folds {
    public static final Table<Record> TABLE = table(name("bloom_fold"));
    public static final Field<Long> FILTER_ID = column(TABLE, "filter_id", SQLDataType.BIGINT);
    public static final Field<Long> FOLDED_SEQ = column(TABLE, "folded_seq", SQLDataType.BIGINT);
    public static final Field<Long> EPOCH = column(TABLE, "epoch", SQLDataType.BIGINT);
    public static final Field<String> FOLDED_AT = dateColumn(TABLE, "folded_at");
    public static final Field<Long> MERGE_TOKEN = column(TABLE, "merge_token", SQLDataType.BIGINT);

    private Folds() {}
  }

  /** One row per journal entry. */
  public static final class Journals {
    public static final Table<Record> TABLE = table(name("bloom_journal"));
    public static final Field<Long> FILTER_ID = column(TABLE, "filter_id", SQLDataType.BIGINT);
    public static final Field<Long> SEQ = column(TABLE, "seq", SQLDataType.BIGINT);
    public static final Field<Long> TOKEN = column(TABLE, "token", SQLDataType.BIGINT);
    public static final Field<Long> PREVIOUS_TOKEN =
        column(TABLE, "previous_token", SQLDataType.BIGINT);
    public static final Field<String> KIND = column(TABLE, "kind", SQLDataType.VARCHAR);
    public static final Field<byte[]> PAYLOAD = column(TABLE, "payload", SQLDataType.BLOB);
    public static final Field<String> CREATED_AT = dateColumn(TABLE, "created_at");

    private Journals() {}
  }

  /** One row per block of hashes that were trimmed from the journal. */
  public static final class HashBlockRows {
    public static final Table<Record> TABLE = table(name("bloom_hash_block"));
    public static final Field<Long> FILTER_ID = column(TABLE, "filter_id", SQLDataType.BIGINT);
    public static final Field<Long> FIRST_HASH = column(TABLE, "first_hash", SQLDataType.BIGINT);
    public static final Field<byte[]> HASHES = column(TABLE, "hashes", SQLDataType.BLOB);

    private HashBlockRows() {}
  }

  /** One row per filter, epoch and day: how the filter was used. */
  public static final class Usages {
    public static final Table<Record> TABLE = table(name("bloom_usage"));
    public static final Field<Long> FILTER_ID = column(TABLE, "filter_id", SQLDataType.BIGINT);
    public static final Field<Long> EPOCH = column(TABLE, "epoch", SQLDataType.BIGINT);
    public static final Field<String> DAY = dateColumn(TABLE, "day");
    public static final Field<Long> NEGATIVES = column(TABLE, "negatives", SQLDataType.BIGINT);
    public static final Field<Long> POSITIVES = column(TABLE, "positives", SQLDataType.BIGINT);
    public static final Field<Long> NEW_KEYS = column(TABLE, "new_keys", SQLDataType.BIGINT);
    public static final Field<Long> SEEN_KEYS = column(TABLE, "seen_keys", SQLDataType.BIGINT);
    public static final Field<Long> FALSE_POSITIVES =
        column(TABLE, "false_positives", SQLDataType.BIGINT);

    private Usages() {}
  }

  /** The columns of one slot table. The catalog holds the name of the table. */
  public static final class Slots {
    public final Table<Record> table;
    public final Field<ULong> slot;
    public final Field<ULong> bits;

    public Slots(String tableName) {
      table = table(name(tableName));
      slot = column(table, "slot", SQLDataType.BIGINTUNSIGNED);
      bits = column(table, "bits", SQLDataType.BIGINTUNSIGNED);
    }
  }
}
