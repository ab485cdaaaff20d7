package io.github.slotbloom.internal.store;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.val;

import org.jooq.Condition;
import org.jooq.DataType;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/** The database tables and their columns, for jOOQ. */
public final class Tables {

  /** The current time of the server's clock, in UTC. */
  public static final Field<String> UTC_NOW = DSL.field("UTC_TIMESTAMP(3)", SQLDataType.VARCHAR);

  private Tables() {}

  private static <T> Field<T> column(Table<?> table, String column, DataType<T> type) {
    return field(name(table.getName(), column), type);
  }

  private static Field<Long> bigint(Table<?> table, String column) {
    return column(table, column, SQLDataType.BIGINT);
  }

  private static Field<Integer> integer(Table<?> table, String column) {
    return column(table, column, SQLDataType.INTEGER);
  }

  private static Field<String> text(Table<?> table, String column) {
    return column(table, column, SQLDataType.VARCHAR);
  }

  private static Field<Boolean> flag(Table<?> table, String column) {
    return column(table, column, SQLDataType.BOOLEAN);
  }

  private static Field<Double> real(Table<?> table, String column) {
    return column(table, column, SQLDataType.DOUBLE);
  }

  private static Field<byte[]> blob(Table<?> table, String column) {
    return column(table, column, SQLDataType.BLOB.asConvertedDataType(new HexBinding()));
  }

  /**
   * Returns a column of type DATETIME or DATE, in UTC. Java reads it as text: with the types for
   * dates the driver would apply the time zone of the JVM, which skips an hour each year.
   */
  private static Field<String> date(Table<?> table, String column) {
    return text(table, column);
  }

  /**
   * The microseconds from the start of 1970 in UTC to the current time of the server's clock. It is
   * that of the moment at which the statement began, so a statement that may have to wait must not
   * rely on it.
   */
  public static final String MICROS_NOW =
      "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";

  /** Returns the milliseconds from the start of 1970 to a date, both in UTC. */
  public static Field<Long> millisOf(Field<?> date) {
    return DSL.field(
        "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', {0}) DIV 1000", SQLDataType.BIGINT, date);
  }

  /** One row per filter. */
  public static final class Filters {
    public static final Table<Record> TABLE = table(name("bloom_filter"));
    public static final Field<Long> ID = bigint(TABLE, "id");
    public static final Field<String> NAME =
        column(TABLE, "name", SQLDataType.VARCHAR.asConvertedDataType(new NameBinding()));
    public static final Field<String> LABEL = text(TABLE, "label");
    public static final Field<String> STATE = text(TABLE, "state");
    public static final Field<Integer> FORMAT_VERSION = integer(TABLE, "format_version");
    public static final Field<String> KEY_TYPE = text(TABLE, "key_type");
    public static final Field<String> HASH = text(TABLE, "hash");
    public static final Field<Long> SEED = bigint(TABLE, "seed");
    public static final Field<String> LAYOUT = text(TABLE, "layout");
    public static final Field<Boolean> GROWABLE = flag(TABLE, "growable");
    public static final Field<Boolean> RETAIN_HASHES = flag(TABLE, "retain_hashes");
    public static final Field<Integer> REMOVABLE_PERCENT = integer(TABLE, "removable_percent");
    public static final Field<Long> CAPACITY = bigint(TABLE, "capacity");
    public static final Field<Double> RATE = real(TABLE, "false_positive_rate");
    public static final Field<Integer> LEASE_MILLIS = integer(TABLE, "lease_millis");
    public static final Field<Integer> RETENTION_SECONDS = integer(TABLE, "retention_seconds");
    public static final Field<Long> EPOCH = bigint(TABLE, "epoch");
    public static final Field<Long> MANIFEST_TOKEN = bigint(TABLE, "manifest_token");
    public static final Field<String> MANIFEST = text(TABLE, "manifest");
    public static final Field<String> ON_FULL = text(TABLE, "on_full");
    public static final Field<Boolean> IMPORTED = flag(TABLE, "imported");
    public static final Field<Boolean> MERGED = flag(TABLE, "merged");
    public static final Field<Long> DURABLE_TICKS = bigint(TABLE, "durable_ticks");
    public static final Field<String> CREATED_AT = date(TABLE, "created_at");
    public static final Field<String> EXPIRES_AT = date(TABLE, "expires_at");
    public static final Field<String> EXPIRY_NOTICED_AT = date(TABLE, "expiry_noticed_at");
    public static final Field<Long> BUCKET_MILLIS = bigint(TABLE, "bucket_millis");
    public static final Field<Integer> WINDOW_BUCKETS = integer(TABLE, "window_buckets");
    public static final Field<Boolean> WINDOW_RENEWS = flag(TABLE, "window_renews");
    public static final Field<Long> BUCKET = bigint(TABLE, "bucket");

    private Filters() {}
  }

  /** One row per table of slots that may be on the server. */
  public static final class SlotTableRows {

    public static final Table<Record> TABLE = table(name("bloom_table"));

    public static final Field<Long> FILTER_ID = bigint(TABLE, "filter_id");
    public static final Field<Integer> GENERATION = integer(TABLE, "generation");
    public static final Field<Long> TOKEN = bigint(TABLE, "token");
    public static final Field<Boolean> MADE = flag(TABLE, "made");
    public static final Field<String> LEFT_AT = date(TABLE, "left_at");

    private SlotTableRows() {}
  }

  /** One row per filter whose generations are being replaced. */
  public static final class Replacements {
    public static final Table<Record> TABLE = table(name("bloom_replacement"));
    public static final Field<Long> FILTER_ID = bigint(TABLE, "filter_id");
    public static final Field<Integer> GENERATION = integer(TABLE, "generation");
    public static final Field<Long> CAPACITY = bigint(TABLE, "capacity");
    public static final Field<Long> KEYS_BEFORE = bigint(TABLE, "keys_before");
    public static final Field<Long> OWNER = bigint(TABLE, "owner");
    public static final Field<String> SOURCE = text(TABLE, "source");
    public static final Field<String> PHASE = text(TABLE, "phase");
    public static final Field<Long> KEYS_READ = bigint(TABLE, "keys_read");
    public static final Field<String> BEGUN_AT = date(TABLE, "begun_at");
    public static final Field<String> UPDATED_AT = date(TABLE, "updated_at");

    private Replacements() {}
  }

  /** One row per filter: how far its journal is folded. */
  public static final class Folds {
    public static final Table<Record> TABLE = table(name("bloom_fold"));
    public static final Field<Long> FILTER_ID = bigint(TABLE, "filter_id");
    public static final Field<Long> FOLDED_SEQ = bigint(TABLE, "folded_seq");
    public static final Field<String> FOLDED_AT = date(TABLE, "folded_at");
    public static final Field<Long> MERGE_TOKEN = bigint(TABLE, "merge_token");

    private Folds() {}
  }

  /** One row per journal entry, and one for the end of each journal: see {@link Ends}. */
  public static final class Journals {
    public static final Table<Record> TABLE = table(name("bloom_journal"));
    public static final Field<Long> FILTER_ID = bigint(TABLE, "filter_id");
    public static final Field<Long> SEQ = bigint(TABLE, "seq");
    public static final Field<Long> TOKEN = bigint(TABLE, "token");
    public static final Field<Long> PREVIOUS_TOKEN = bigint(TABLE, "previous_token");
    public static final Field<String> KIND = text(TABLE, "kind");
    public static final Field<byte[]> PAYLOAD = blob(TABLE, "payload");
    public static final Field<String> CREATED_AT = date(TABLE, "created_at");
    public static final Field<Long> LAST_SEQ = bigint(TABLE, "last_seq");
    public static final Field<Long> KEYS_ADDED = bigint(TABLE, "keys_added");
    public static final Field<Long> KEYS_REMOVED = bigint(TABLE, "keys_removed");
    public static final Field<Long> KEYS_RENEWED = bigint(TABLE, "keys_renewed");

    private Journals() {}
  }

  /**
   * The end of each journal: the row of {@link Journals} with the number 0. It stands in that table
   * so that one statement can insert entries and move the end. It has an alias of its own, since
   * one query may read it beside entries.
   */
  public static final class Ends {
    public static final Table<Record> TABLE = Journals.TABLE.as("journal_end");
    public static final Field<Long> FILTER_ID = bigint(TABLE, "filter_id");
    public static final Field<Long> SEQ = bigint(TABLE, "seq");

    /** The token of the newest entry. */
    public static final Field<Long> LAST_TOKEN = bigint(TABLE, "token");

    public static final Field<Long> FENCE = bigint(TABLE, "previous_token");
    public static final Field<Long> LAST_SEQ = bigint(TABLE, "last_seq");
    public static final Field<Long> KEYS_ADDED = bigint(TABLE, "keys_added");
    public static final Field<Long> KEYS_REMOVED = bigint(TABLE, "keys_removed");
    public static final Field<Long> KEYS_RENEWED = bigint(TABLE, "keys_renewed");

    /** The token of the newest entry when the last import ended; empty if there was none. */
    public static final Field<byte[]> IMPORTED_TOKEN = blob(TABLE, "payload");

    /** The kind of the row. */
    public static final String KIND = "END";

    private Ends() {}

    /** Returns the condition for the end of the journal of a filter. */
    public static Condition of(Field<Long> filterId) {
      return FILTER_ID.eq(filterId).and(SEQ.eq(inline(0L)));
    }

    /** Returns the condition for the end of the journal of a filter. */
    public static Condition of(long filterId) {
      return of(val(filterId));
    }
  }

  /** One row per block of hashes that were trimmed from the journal. */
  public static final class HashBlockRows {
    public static final Table<Record> TABLE = table(name("bloom_hash_block"));
    public static final Field<Long> FILTER_ID = bigint(TABLE, "filter_id");
    public static final Field<Long> BEGINS = bigint(TABLE, "begins");
    public static final Field<Long> FIRST_HASH = bigint(TABLE, "first_hash");
    public static final Field<byte[]> HASHES = blob(TABLE, "hashes");

    private HashBlockRows() {}
  }

  /** The columns of a table with the removed hashes of one filter, whose name is in the catalog. */
  public static final class Removed {
    public final Table<Record> table;
    public final Field<Long> hash;
    public final Field<Long> seq;

    public Removed(String tableName) {
      table = table(name(tableName));
      hash = bigint(table, "hash");
      seq = bigint(table, "seq");
    }
  }

  /** One row per key that a block list leaves out. */
  public static final class RescuedKeys {
    public static final Table<Record> TABLE = table(name("bloom_rescued"));
    public static final Field<Long> FILTER_ID = bigint(TABLE, "filter_id");
    public static final Field<Long> HASH = bigint(TABLE, "hash");
    public static final Field<String> REASON = text(TABLE, "reason");
    public static final Field<String> RESCUED_BY = text(TABLE, "rescued_by");
    public static final Field<String> RESCUED_AT = date(TABLE, "rescued_at");
    public static final Field<String> RESCUED_UNTIL = date(TABLE, "rescued_until");

    private RescuedKeys() {}
  }

  /** One row per filter, epoch and day: how the filter was used. */
  public static final class Usages {
    public static final Table<Record> TABLE = table(name("bloom_usage"));
    public static final Field<Long> FILTER_ID = bigint(TABLE, "filter_id");
    public static final Field<Long> EPOCH = bigint(TABLE, "epoch");
    public static final Field<String> DAY = date(TABLE, "day");
    public static final Field<Long> NEGATIVES = bigint(TABLE, "negatives");
    public static final Field<Long> POSITIVES = bigint(TABLE, "positives");
    public static final Field<Long> NEW_KEYS = bigint(TABLE, "new_keys");
    public static final Field<Long> SEEN_KEYS = bigint(TABLE, "seen_keys");
    public static final Field<Long> FALSE_POSITIVES = bigint(TABLE, "false_positives");

    private Usages() {}
  }

  /**
   * The columns of one slot table, whose unsigned numbers are the bits of a long. The catalog holds
   * the name of the table.
   */
  public static final class Slots {
    /**
     * Not null, or jOOQ would derive such a type for each value of a statement, and make up its
     * name with regular expressions. That took ten times as long as all the rest of rendering.
     */
    private static final DataType<Long> UNSIGNED =
        SQLDataType.BIGINTUNSIGNED.asConvertedDataType(new UnsignedBinding()).notNull();

    public final Table<Record> table;
    public final Field<Long> slot;
    public final Field<Long> bits;

    public Slots(String tableName) {
      table = table(name(tableName));
      slot = column(table, "slot", UNSIGNED);
      bits = column(table, "bits", UNSIGNED);
    }

    /** Returns the condition for the slots from {@code first} (inclusive) to {@code end}. */
    public Condition between(long first, long end) {
      return slot.ge(first).and(slot.lt(end));
    }
  }
}
