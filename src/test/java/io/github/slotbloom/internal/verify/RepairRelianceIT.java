package io.github.slotbloom.internal.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.report.Finding;
import io.github.slotbloom.report.Finding.Kind;
import io.github.slotbloom.report.VerifyReport;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.StoredManifest;
import io.github.slotbloom.testing.VerifiedFilters;
import java.math.BigInteger;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A repair trusts no row that a finding casts doubt upon: it leaves the slots as they are. */
@DatabaseContract(shortLeases = true, onOne = true)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
// A rotation may be under way yet when a value is made wrong.
@PossibleLog(KnownLogs.ROTATION_FAILED)
class RepairRelianceIT extends VerifiedFilters {

  private static final int KEYS = 1500;
  private static final long CAPACITY = 2000;

  /** Columns that say which row it is, not what is in it. */
  private static final Set<String> IDENTITY = Set.of("id", "filter_id", "name", "generation");

  /** What stands for NULL in a text. */
  private static final String NULL = "null";

  /** How a filter came about, with all its keys folded. */
  private enum History {
    STANDARD,
    EXPLICIT,
    GROWN,
    /** The entry that began its second generation is not in the journal any more. */
    GROWN_AND_TRIMMED,
    REPLACED,
    /** Its keys expire, but none has. */
    WINDOW;

    String filter(String prefix) {
      return prefix + "_" + name().toLowerCase(Locale.ROOT);
    }
  }

  /** One value of one row of the catalog; of a manifest, if the table has the name of a filter. */
  private record Place(String table, String column, String where, String type) {

    boolean isInManifest() {
      return !table.startsWith("bloom_");
    }

    StoredManifest manifest() {
      return new StoredManifest(sql, table);
    }

    int generation() {
      return Integer.parseInt(where.substring(where.lastIndexOf(' ') + 1));
    }
  }

  @BeforeDatabase
  static void poolConnections() {
    sql = new Sql(schema.pool(pool -> pool.setMaximumPoolSize(4)));
  }

  private static List<String> all() {
    return keys(0, KEYS);
  }

  private static void make(String name, History history) throws SQLException {
    FilterSpec.Builder<String> spec =
        FilterSpec.builder(KeyType.text())
            .capacity(CAPACITY)
            .falsePositiveRate(0.001)
            .layout(history == History.STANDARD ? Layout.STANDARD : Layout.BLOCKED);
    if (history == History.EXPLICIT) {
      spec.explicitSize(40_960, 9);
    }
    if (history == History.WINDOW) {
      spec.capacity(7 * CAPACITY).window(Duration.ofDays(70), 7).renew();
    }
    bloom.reserve(name, spec.build()).close();
    add(name, 0, KEYS / 3);
    switch (history) {
      case GROWN, GROWN_AND_TRIMMED -> bloom.admin(name).grow(3 * CAPACITY);
      case REPLACED ->
          bloom
              .admin(name)
              .replace(
                  2 * CAPACITY,
                  KeySource.of("a list", KeyType.text(), () -> keys(0, KEYS / 3).stream()),
                  ReplaceOptions.defaults());
      default -> {}
    }
    add(name, KEYS / 3, KEYS);
    if (history == History.GROWN_AND_TRIMMED) {
      sql.run(
          "UPDATE bloom_filter SET created_at = created_at - INTERVAL 1 DAY WHERE name = ?", name);
      sql.run(
          "DELETE FROM bloom_journal WHERE filter_id = ? AND seq BETWEEN 1 AND (SELECT MAX(since_entry)"
              + " FROM bloom_generation_status WHERE filter_id = ?)",
          id(name),
          id(name));
    }
    assertThat(verify(name, false).findings()).isEmpty();
  }

  private static void add(String name, int from, int to) {
    try (BloomFilter<String> filter = bloom.open(name, KeyType.text())) {
      for (int key = from; key < to; key += 100) {
        filter.addEach(keys(key, Math.min(to, key + 100)));
      }
      bloom.admin(filter.name()).fold();
    }
  }

  private static VerifyReport verify(String name, boolean repairing) {
    VerifyOptions options = VerifyOptions.defaults();
    return bloom.admin(name).verify(repairing ? options.repairing() : options);
  }

  private static List<String> slots(String name) throws SQLException {
    List<String> slots = new ArrayList<>();
    for (String table :
        sql.texts(
            "SELECT slot_table FROM bloom_generation_status WHERE filter_id = ? AND state = 'ACTIVE' ORDER"
                + " BY generation",
            id(name))) {
      slots.addAll(
          sql.texts(
              "SELECT CONCAT('" + table + " ', slot, ' ', bits) FROM " + table + " ORDER BY slot"));
    }
    return slots;
  }

  private static List<Place> places(String name) throws SQLException {
    List<Place> places = new ArrayList<>();
    StoredManifest manifest = new StoredManifest(sql, name);
    for (String field : manifest.fields(StoredManifest.WHOLE)) {
      places.add(inManifest(name, StoredManifest.WHOLE, field));
    }
    for (int generation : manifest.generations()) {
      for (String field : manifest.fields(generation)) {
        places.add(inManifest(name, generation, field));
      }
    }
    for (String table : List.of("bloom_filter", "bloom_fold", "bloom_table")) {
      for (List<String> column :
          sql.rows(
              "SELECT column_name, column_type FROM information_schema.columns"
                  + " WHERE table_schema = DATABASE() AND table_name = ? ORDER BY ordinal_position",
              table)) {
        if (IDENTITY.contains(column.get(0))) {
          continue;
        }
        String row = (table.equals("bloom_filter") ? "id = " : "filter_id = ") + id(name);
        if (table.equals("bloom_table")) {
          for (int generation : manifest.generations()) {
            places.add(
                new Place(
                    table, column.get(0), row + " AND generation = " + generation, column.get(1)));
          }
        } else {
          places.add(new Place(table, column.get(0), row, column.get(1)));
        }
      }
    }
    return places;
  }

  private static Place inManifest(String name, int generation, String field) {
    String type =
        switch (field) {
          case "state" -> "state";
          case "rate" -> "double";
          case "went_on" -> "boolean";
          default -> "bigint";
        };
    return new Place(name, field, "generation = " + generation, type);
  }

  /** What may stand there instead, of the type of the column. */
  private static List<Object> wrongValues(Place place, String right) {
    List<Object> wrong = new ArrayList<>();
    if (right.equals(NULL)) {
      String type = place.type;
      wrong.add(
          type.contains("int") ? 25 : type.startsWith("datetime") ? "2037-01-02 03:04:05" : "x");
    } else if (place.type.equals("state")) {
      wrong.addAll(List.of("\"ACTIVE\"", "\"FILLING\"", "\"NONE\""));
    } else if (place.type.equals("boolean")) {
      wrong.add(!Boolean.parseBoolean(right));
    } else if (place.type.startsWith("tinyint")) {
      wrong.add(1 - Integer.parseInt(right));
    } else if (place.type.contains("int")) {
      BigInteger value = new BigInteger(right);
      wrong.add(value.add(BigInteger.ONE));
      wrong.add(value.divide(BigInteger.TWO));
      wrong.add(BigInteger.ZERO);
      if (value.bitLength() < 24) {
        wrong.add(value.shiftLeft(1));
        wrong.add(value.add(BigInteger.valueOf(512)));
      }
    } else if (place.type.startsWith("double")) {
      double value = Double.parseDouble(right);
      wrong.addAll(List.of(value / 2, value * 2, value * 1.000001, 0.5));
    } else if (place.type.startsWith("datetime")) {
      wrong.addAll(List.of("2020-01-02 03:04:05.000", "2037-01-02 03:04:05.000"));
    } else {
      wrong.addAll(
          switch (place.column) {
            case "layout" -> List.of("BLOCKED", "STANDARD", "SPIRAL");
            case "hash" -> List.of("xxh3_64", "murmur3_128", "siphash24", "sha256", "md5");
            case "key_type" -> List.of("bytes", "long", "custom:x");
            // Others are waited for.
            case "state" -> List.of("NONE");
            case "on_full" -> List.of("GROW", "REFUSE", "DEGRADE", "NONE");
            default -> List.of(right + "x", "x");
          });
    }
    wrong.removeIf(value -> value.toString().equals(right));
    return wrong;
  }

  private static void put(Place place, Object value) throws SQLException {
    if (place.isInManifest()) {
      place.manifest().set(place.generation(), place.column, value);
      return;
    }
    Object stored = value.equals(NULL) ? null : value;
    sql.run("UPDATE " + place.table + " SET " + place.column + " = ? WHERE " + place.where, stored);
  }

  private static void repairAsFarAsItCanBeRead(String name) {
    try {
      verify(name, true);
    } catch (SlotBloomException e) {
      // Such a row lets nothing be read, and so nothing be repaired.
      assertThat(e).hasMessageContaining(name);
    }
  }

  /** A build takes those that between them have all that a repair may rely on. */
  static List<History> histories() {
    return DatabaseContract.LONG
        ? List.of(History.values())
        : List.of(History.STANDARD, History.GROWN_AND_TRIMMED, History.WINDOW);
  }

  @ParameterizedTest
  @MethodSource("histories")
  void aRepairUnderAWrongValueChangesNoSlot(History history) throws SQLException {
    String name = history.filter("whole");
    make(name, history);
    List<String> before = slots(name);
    List<String> changed = new ArrayList<>();
    int tried = 0;
    for (Place place : places(name)) {
      String right = value(place);
      for (Object wrong : wrongValues(place, right)) {
        put(place, wrong);
        repairAsFarAsItCanBeRead(name);
        put(place, right);
        tried++;
        if (!slots(name).equals(before)) {
          changed.add(place + ": " + right + " was " + wrong);
          restore(name, before);
        }
      }
    }
    assertThat(changed).as("after %s wrong values", tried).isEmpty();
    assertThat(tried).isGreaterThan(50);
    assertThat(verify(name, false).findings()).isEmpty();
    try (BloomFilter<String> filter = bloom.open(name, KeyType.text())) {
      assertThat(filter.mightContainEach(all())).doesNotContain(false);
    }
  }

  /** Both columns agree, and some hashes keep their places: no single column is to blame. */
  @ParameterizedTest
  @ValueSource(longs = {CAPACITY / 8, CAPACITY * 3 / 4, CAPACITY * 2})
  void aRepairUnderAWrongCapacityChangesNoSlot(long wrong) throws SQLException {
    FilterSpec.Builder<String> spec =
        FilterSpec.builder(KeyType.text()).falsePositiveRate(0.001).layout(Layout.BLOCKED);
    String name = "pair_" + wrong;
    bloom.reserve(name, spec.capacity(CAPACITY).build()).close();
    add(name, 0, KEYS);
    List<String> before = slots(name);
    bloom.reserve("other_" + wrong, spec.capacity(wrong).build()).close();
    setSize(name, "other_" + wrong);
    repairAsFarAsItCanBeRead(name);
    bloom.reserve("original_" + wrong, spec.capacity(CAPACITY).build()).close();
    setSize(name, "original_" + wrong);
    assertThat(slots(name)).isEqualTo(before);
    try (BloomFilter<String> filter = bloom.open(name, KeyType.text())) {
      assertThat(filter.mightContainEach(all())).doesNotContain(false);
    }
  }

  private static void setSize(String name, String other) throws SQLException {
    for (String field : List.of("capacity", "bits", "hashes")) {
      new StoredManifest(sql, name).set(1, field, new StoredManifest(sql, other).value(1, field));
    }
  }

  private static void restore(String name, List<String> before) throws SQLException {
    for (String table :
        sql.texts(
            "SELECT slot_table FROM bloom_generation_status WHERE filter_id = ? AND state = 'ACTIVE'",
            id(name))) {
      sql.run("DELETE FROM " + table);
    }
    for (String row : before) {
      String[] parts = row.split(" ");
      sql.run(
          "INSERT INTO " + parts[0] + " VALUES (?, ?)",
          new BigInteger(parts[1]),
          new BigInteger(parts[2]));
    }
  }

  /** Either the loss is mended exactly, or nothing is; and what was appended fits the journal. */
  @Test
  void aLossBesideAWrongValueIsRepairedRightlyOrNotAtAll() throws SQLException {
    String name = "lossy";
    make(name, History.GROWN);
    // Of the newest generation, whose keys are all in the journal.
    String loseASlot =
        "DELETE FROM " + sql.slots("lossy", 2) + " WHERE bits <> 0 ORDER BY slot LIMIT 1";
    List<String> sound = slots(name);
    sql.run(loseASlot);
    List<String> lost = slots(name);
    assertThat(verify(name, false).findings())
        .extracting(Finding::kind)
        .containsOnly(Kind.BITS_MISSING);
    assertThat(verify(name, true).findings()).isEmpty();
    for (Place place : places(name)) {
      if (!DatabaseContract.LONG && place.where.endsWith("generation = 1")) {
        continue;
      }
      // One of each column: each takes half a second.
      String right = value(place);
      Object wrong = wrongValues(place, right).get(0);
      String what = "%s: %s was %s".formatted(place, right, wrong);
      sql.run(loseASlot);
      put(place, wrong);
      String stored = value(place);
      repairAsFarAsItCanBeRead(name);
      if (value(place).equals(stored)) {
        put(place, right);
      }
      assertThat(slots(name)).as(what).isIn(sound, lost);
      assertThat(verify(name, true).findings()).as(what).isEmpty();
      assertThat(slots(name)).as(what).isEqualTo(sound);
    }
  }

  private static String value(Place place) throws SQLException {
    if (place.isInManifest()) {
      return place.manifest().value(place.generation(), place.column);
    }
    return sql.text("SELECT " + place.column + " FROM " + place.table + " WHERE " + place.where);
  }
}
