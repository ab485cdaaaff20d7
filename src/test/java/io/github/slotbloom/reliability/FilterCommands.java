package io.github.slotbloom.reliability;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.Removing;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * One filter of whole numbers, driven by lines, so that it can be in this process or in one that is
 * killed. Not thread-safe.
 *
 * <pre>
 * open NAME                                                       ok
 * add KEYS                                                        as many as were new
 * fold | clear                                                    ok
 * begin KEYS                                                      adds within a transaction: as many as were new
 * end commit                                                      ok
 * within KEYS                                                     begin and commit: as many as were new
 * remove KEYS                                                     as many as were taken out
 * replace NAME CAPACITY KEYS                                      replaces it from these: ok
 * </pre>
 *
 * Keys are numbers and ranges, such as {@code 1 5..9}. What fails is answered {@code failed: ...}.
 */
final class FilterCommands implements AutoCloseable {

  /** So patient that a test may hold it up for long. */
  private static final FilterOptions PATIENT =
      FilterOptions.defaults().timeout(Duration.ofMinutes(2));

  private final DataSource dataSource;
  private final SlotBloom bloom;
  private @Nullable BloomFilter<Long> filter;
  private @Nullable Connection transaction;

  FilterCommands(DataSource dataSource) {
    this.dataSource = dataSource;
    this.bloom = SlotBloom.on(dataSource);
  }

  /** So few false positives that a test of these keys never meets one. */
  static FilterSpec<Long> spec(long capacity) {
    return FilterSpec.builder(KeyType.longs()).capacity(capacity).falsePositiveRate(1e-6).build();
  }

  /** The same, for a filter from which all keys can be removed. */
  static FilterSpec<Long> removable(long capacity) {
    return FilterSpec.builder(KeyType.longs())
        .capacity(capacity)
        .falsePositiveRate(1e-6)
        .buildRemovable(100);
  }

  /** Carries out a line. Never throws for what goes wrong with the filter. */
  String answer(String line) {
    List<String> words = List.of(line.split(" "));
    try {
      return carryOut(words.get(0), words.subList(1, words.size()));
    } catch (RuntimeException | SQLException e) {
      return ("failed: " + e).replace('\n', ' ');
    }
  }

  private String carryOut(String command, List<String> words) throws SQLException {
    switch (command) {
      case "open" -> filter = bloom.open(words.get(0), KeyType.longs(), PATIENT);
      case "replace" ->
          bloom
              .admin(words.get(0))
              .replace(
                  Long.parseLong(words.get(1)),
                  source(keys(words.subList(2, words.size()))),
                  ReplaceOptions.defaults());
      case "add" -> {
        return count(opened().addEach(keys(words)));
      }
      case "fold" -> bloom.admin(opened().name()).fold();
      case "clear" -> bloom.admin(opened().name()).clear();
      case "begin" -> {
        return begin(keys(words));
      }
      case "end" -> commit();
      case "within" -> {
        String added = begin(keys(words));
        commit();
        return added;
      }
      case "remove" -> {
        return count(Removing.from(opened()).removeEach(keys(words)));
      }
      default -> throw new IllegalArgumentException(command);
    }
    return "ok";
  }

  /** The same for every process, so that one goes on where another was. */
  private static KeySource source(List<Long> keys) {
    return KeySource.of("keys", KeyType.longs(), keys::stream);
  }

  private BloomFilter<Long> opened() {
    if (filter == null) {
      throw new IllegalStateException("no filter is open");
    }
    return filter;
  }

  private String begin(List<Long> keys) throws SQLException {
    return count(opened().within(begin()).addEach(keys));
  }

  private Connection begin() throws SQLException {
    Connection begun = dataSource.getConnection();
    begun.setAutoCommit(false);
    transaction = begun;
    return begun;
  }

  private void commit() throws SQLException {
    try (Connection ended = transaction) {
      transaction = null;
      if (ended == null) {
        throw new IllegalStateException("no transaction is open");
      }
      ended.commit();
    }
  }

  private static String count(boolean[] answers) {
    int yes = 0;
    for (boolean answer : answers) {
      if (answer) {
        yes++;
      }
    }
    return Integer.toString(yes);
  }

  private static List<Long> keys(List<String> words) {
    List<Long> keys = new ArrayList<>();
    for (String word : words) {
      long[] ends = Arrays.stream(word.split("\\.\\.")).mapToLong(Long::parseLong).toArray();
      LongStream.rangeClosed(ends[0], ends[ends.length - 1]).forEach(keys::add);
    }
    return keys;
  }

  @Override
  public void close() {
    bloom.close();
  }
}
