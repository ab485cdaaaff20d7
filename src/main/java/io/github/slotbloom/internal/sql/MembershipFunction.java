package io.github.slotbloom.internal.sql;

import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.store.filter.Bucket;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.Manifest;
import io.github.slotbloom.internal.store.filter.StoredFormat;
import io.github.slotbloom.internal.store.session.Database;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A stored function that tells if a key may be in a filter, by reading the tables as {@code
 * DirectKeys} does. A stored function can only use the table names that it was made with. So it is
 * made for the generations of one moment, and refuses to answer for others.
 *
 * <p>Its reads come in an order that hides no key, even if each read sees the commits made
 * meanwhile: the end of the journal and how far it is folded, the slots, the entries that were not
 * folded, and the filter's row again. An entry that is folded in between is still in the journal.
 * The bits of entries and slots are merged, because a key that was answered "seen" by a false
 * positive has no entry of its own.
 */
public final class MembershipFunction {

  private static final DateTimeFormatter DATETIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final String isolation;
  private final FilterRecord filter;
  private final List<GenerationRecord> generations;
  private final List<ProbeSql> probes;
  private final AnswerSql answer;

  /**
   * Creates the function for the generations that the filter has now.
   *
   * @param server where the function is to be made
   * @throws InvalidParameterException if the server cannot compute the hash of the filter
   * @throws CorruptFilterException if its key type cannot be right
   */
  public MembershipFunction(Database server, FilterRecord filter) {
    if (!filter.hash().equals(HashAlgorithm.SHA256.id())) {
      throw new InvalidParameterException(
          ("Filter %s has the hash function %s, which SQL cannot compute. Create a filter with %s,"
                  + " and add the keys to it.")
              .formatted(filter.name(), filter.hash(), HashAlgorithm.SHA256.id()));
    }
    // The key type becomes part of a statement.
    if (!KeyType.isId(filter.keyType())) {
      throw new CorruptFilterException(
          ("Filter %s has a key_type in bloom_filter that Slotbloom never stores. Restore the row"
                  + " as it was, or restore the bloom_ tables from one backup.")
              .formatted(filter.name()));
    }
    this.isolation = server.version().isolation();
    this.filter = filter;
    this.generations = filter.generations();
    this.probes =
        IntStream.range(0, generations.size())
            .mapToObj(i -> ProbeSql.of(i + 1, generations.get(i).parameters()))
            .toList();
    this.answer = AnswerSql.of(filter);
  }

  /** Returns the statements for one session, in this order; without delimiters. */
  public List<String> statements() {
    String trial = name() + "_new";
    return List.of(
        // The conversion of a key must not shorten it without an error. This mode is stored with
        // the function.
        "SET @slotbloom_sql_mode = @@SESSION.sql_mode, SESSION sql_mode = 'STRICT_ALL_TABLES'",
        // MySQL and MariaDB share no statement that replaces a function. If the server refuses to
        // make the function, it fails here, while the former function still exists.
        drop(trial),
        create(trial),
        drop(name()),
        create(name()),
        drop(trial),
        "SET SESSION sql_mode = @slotbloom_sql_mode");
  }

  private String name() {
    return filter.tables().function();
  }

  private static String drop(String name) {
    return "DROP FUNCTION IF EXISTS `" + name + "`";
  }

  private String create(String name) {
    return """
        CREATE FUNCTION `%s`(key_value %s) RETURNS BOOLEAN
          NOT DETERMINISTIC READS SQL DATA SQL SECURITY DEFINER
          COMMENT 'Slotbloom: whether the key may be in filter number %s, as of manifest %s'
        BEGIN
        %s%sEND"""
        .formatted(
            name,
            keyColumnType(),
            filter.id(),
            filter.manifest().seq(),
            declarations().indent(2),
            body().indent(2));
  }

  /**
   * Returns the column type of the key. Text in another character set becomes UTF-8 as it is handed
   * over, and the UTF-8 bytes are hashed. A number comes as its digits, which no SQL mode of the
   * caller cuts off or rounds.
   */
  private String keyColumnType() {
    return filter.keyType().equals("text") ? "LONGTEXT CHARACTER SET utf8mb4" : "LONGBLOB";
  }

  private boolean hasNumbers() {
    return filter.keyType().equals("long");
  }

  private String keyBytes() {
    return switch (filter.keyType()) {
      case "text" -> "CAST(key_value AS BINARY)";
      case "long" -> "REVERSE(UNHEX(LPAD(HEX(key_number), 16, '0')))";
      default -> "key_value";
    };
  }

  private String declarations() {
    return ProbeSql.DECLARATIONS
        + probes.stream().map(ProbeSql::declarations).collect(Collectors.joining())
        + """
        DECLARE key_seed BINARY(8);
        DECLARE key_hash, other_hash, journal_end, entry BIGINT UNSIGNED;
        DECLARE entry_kind VARCHAR(20);
        DECLARE entry_hashes MEDIUMBLOB;
        DECLARE entry_offset INT;
        """
        + (hasNumbers()
            ? """
              DECLARE key_number BIGINT;
              DECLARE key_digits LONGTEXT CHARACTER SET latin1;
              """
            : "")
        + answer.declarations();
  }

  private String body() {
    return refuseDirtyReads()
        + (hasNumbers() ? readNumber() : "")
        + readHead()
        + hashKey()
        + askSlots()
        + askJournal()
        + answer.answer(requireUnchanged());
  }

  private String refuseDirtyReads() {
    return """
        IF key_value IS NULL THEN
          RETURN NULL;
        END IF;
        IF @@SESSION.%s = 'READ-UNCOMMITTED' THEN
          %sEND IF;
        """
        .formatted(
            isolation, signal(name() + " needs READ COMMITTED or a stricter isolation level"));
  }

  /**
   * Returns the statements that read a number. A value that cannot be a number without loss is
   * refused here, in the SQL mode of the function.
   */
  private String readNumber() {
    return """
        SET key_digits = CONVERT(key_value USING latin1);
        IF key_digits REGEXP '[^-+0-9.]'
            OR key_digits NOT REGEXP '^[-+]?[0-9]{1,40}([.]0{1,40})?$' THEN
          %sEND IF;
        SET key_digits = SUBSTRING_INDEX(key_digits, '.', 1);
        IF CAST(key_digits AS DECIMAL(65,0)) NOT BETWEEN -9223372036854775808 AND 9223372036854775807 THEN
          %sEND IF;
        SET key_number = CAST(key_digits AS DECIMAL(65,0));
        """
        .formatted(
            signal("No whole number: " + name() + " takes decimal digits"),
            signal("Out of range: " + name() + " takes 64-bit numbers"));
  }

  private String readHead() {
    return """
        SELECT UNHEX(LPAD(HEX(f.seed), 16, '0')), e.last_seq, d.folded_seq
          INTO key_seed, journal_end, entry
          FROM bloom_filter f JOIN bloom_fold d ON d.filter_id = f.id
            JOIN bloom_journal e ON e.filter_id = f.id AND e.seq = 0
          WHERE %s;
        IF key_seed IS NULL OR LEFT(SHA2(key_seed, 256), 16) <> '%s' THEN
          %sEND IF;
        """
        .formatted(unchanged(), hashOfNothing(), signalChange());
  }

  /**
   * Returns the hash of an empty key. It distinguishes a seed from others, and reveals no more of
   * it than any hash does.
   */
  private String hashOfNothing() {
    long hash = HashAlgorithm.SHA256.create(filter.seed().value()).hashBytes(new byte[0]);
    return HexFormat.of().toHexDigits(hash);
  }

  private String unchanged() {
    FilterHead head = filter.head();
    return """
        f.id = %s AND f.created_at = '%s'
            AND f.state = 'ACTIVE' AND f.format_version = %s AND f.manifest_token = %s
            AND f.key_type = '%s' AND f.hash = '%s' AND f.layout = '%s' AND f.expires_at %s"""
        .formatted(
            filter.id(),
            DATETIME.format(filter.createdAt()),
            StoredFormat.VERSION,
            head.manifestToken(),
            filter.keyType(),
            filter.hash(),
            filter.layout(),
            head.expiresAt() == null ? "IS NULL" : "> UTC_TIMESTAMP(6)");
  }

  private String hashKey() {
    return """
        SET key_hash = CAST(CONV(LEFT(SHA2(CONCAT(key_seed, %s), 256), 16), 16, 10) AS UNSIGNED);
        """
        .formatted(keyBytes());
  }

  private String askSlots() {
    return IntStream.range(0, probes.size())
        .mapToObj(
            i ->
                ifNotExpired(
                    i,
                    answer.lookForBits(
                        probes.get(i).locate("key_hash")
                            + probes.get(i).lookUp(generations.get(i).slotTable())
                            + ifFound(probes.get(i)))))
        .collect(Collectors.joining());
  }

  /** Returns statements about a generation, to be run as long as its keys have not expired. */
  private String ifNotExpired(int i, String statements) {
    Bucket bucket = generations.get(i).bucket();
    if (filter.window() == null || bucket == null) {
      return statements;
    }
    Instant expiry = filter.window().begin(bucket.number() + bucket.window() + 1);
    return "IF UTC_TIMESTAMP(6) < '%s' THEN\n%sEND IF;\n"
        .formatted(DATETIME.format(expiry), statements.indent(2));
  }

  private String ifFound(ProbeSql probe) {
    return """
        IF %s THEN
          %s
        END IF;
        """
        .formatted(probe.foundAll(), answer.bitsFound());
  }

  private String askJournal() {
    return """
        WHILE entry < journal_end DO
          SET entry = entry + 1, entry_kind = NULL, entry_offset = 1;
          SELECT j.kind, j.payload INTO entry_kind, entry_hashes
            FROM bloom_journal j WHERE j.filter_id = %s AND j.seq = entry;
          IF entry_kind = 'MERGE' THEN
            %s  END IF;
          IF entry_kind IS NULL OR entry_kind <> 'MANIFEST' AND LENGTH(entry_hashes) %% 8 <> 0 THEN
            %s  END IF;
          IF %s THEN
            WHILE entry_offset < LENGTH(entry_hashes) DO
              SET other_hash = CAST(CONV(HEX(SUBSTR(entry_hashes, entry_offset, 8)), 16, 10) AS UNSIGNED);
        %s      SET entry_offset = entry_offset + 8;
            END WHILE;
          END IF;
        END WHILE;
        """
        .formatted(
            filter.id(),
            signal(
                "Another filter was merged into number "
                    + filter.id()
                    + ", and is not folded yet; fold it"),
            signal(
                "The journal of filter number "
                    + filter.id()
                    + " lacks an unfolded entry, or it is damaged; restore the tables"),
            answer.hasHashes(),
            (answer.takeHash() + answer.lookForBits(askOther())).indent(6));
  }

  private String askOther() {
    return IntStream.range(0, probes.size()).mapToObj(this::askOther).collect(Collectors.joining());
  }

  private String askOther(int i) {
    return """
        IF %s THEN
        %sEND IF;
        """
        .formatted(
            takes(i),
            ifNotExpired(i, probes.get(i).lookAt("other_hash") + ifFound(probes.get(i))).indent(2));
  }

  /** Returns the condition of {@link Manifest#forEachTaker}, for active generations. */
  private String takes(int i) {
    String since = " AND entry > " + generations.get(i).sinceSeq();
    String until =
        i + 1 == generations.size() ? "" : " AND entry <= " + generations.get(i + 1).sinceSeq();
    String added = answer.hasNewKeys() + since + until;
    GenerationRecord generation = generations.get(i);
    return i > 0 || generation.cutoverSeq() == 0
        ? added
        : added
            + " OR entry_kind IN ('REMOVE', 'RETURN', 'FILL') AND entry > %s AND entry <= %s"
                .formatted(generation.sinceSeq(), generation.cutoverSeq());
  }

  private String requireUnchanged() {
    return """
        IF NOT EXISTS (SELECT 1 FROM bloom_filter f WHERE %s) THEN
          %sEND IF;
        """
        .formatted(unchanged(), signalChange());
  }

  private String signalChange() {
    return signal(
        "Filter number "
            + filter.id()
            + " has changed since this function was created. Recreate it: slotbloom function");
  }

  /** Returns a statement that raises an error. A message has 128 characters at most. */
  private static String signal(String message) {
    return "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = '%s';\n".formatted(message);
  }
}
