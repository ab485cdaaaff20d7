package io.github.slotbloom.reliability;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
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
 * reserve NAME MODE CAPACITY | open NAME [direct]                 ok
 * drop NAME | trim NAME | rename NAME NEW_NAME                    ok
 * add KEYS | ask KEYS                                             as many as were new, or were found
 * each KEYS                                                       adds one by one: ok
 * fold | clear                                                    ok
 * begin KEYS                                                      adds within a transaction: as many as were new
 * end commit | end rollback                                       ok
 * within KEYS                                                     begin and commit: as many as were new
 * remove KEYS                                                     as many as were taken out
 * withdraw KEYS                                                   the same within a transaction, and commit
 * rebuild NAME                                                    has it built anew by itself: ok
 * rotate NAME                                                     begins the present bucket: ok
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
  static FilterSpec<Long> removable(long capacity, boolean retained) {
    FilterSpec.Builder<Long> spec =
        FilterSpec.builder(KeyType.longs())
            .capacity(capacity)
            .falsePositiveRate(1e-6)
            .removable(100);
    return (retained ? spec.retainHashes() : spec).build();
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
      case "reserve" ->
          filter = bloom.reserve(words.get(0), spec(Long.parseLong(words.get(1))), PATIENT);
      case "open" ->
          filter =
              bloom.open(
                  words.get(0),
                  KeyType.longs(),
                  words.contains("direct") ? PATIENT.withoutMirror() : PATIENT);
      case "drop" -> bloom.admin().drop(words.get(0));
      case "rename" -> bloom.admin().rename(words.get(0), words.get(1));
      case "grow" -> bloom.admin().grow(words.get(0), Long.parseLong(words.get(1)));
      case "replace" ->
          bloom
              .admin()
              .replace(
                  words.get(0),
                  Long.parseLong(words.get(1)),
                  source(keys(words.subList(2, words.size()))),
                  ReplaceOptions.defaults());
      case "abort" -> bloom.admin().abortReplacement(words.get(0));
      case "add" -> {
        return count(opened().addEach(keys(words)));
      }
      case "each" -> keys(words).forEach(opened()::add);
      case "ask" -> {
        return count(opened().mightContainEach(keys(words)));
      }
      case "fold" -> opened().fold();
      case "clear" -> opened().clear();
      case "trim" -> ForcedTrimming.trim(dataSource, words.get(0));
      case "begin" -> {
        return begin(keys(words));
      }
      case "within" -> {
        String added = begin(keys(words));
        end("commit");
        return added;
      }
      case "end" -> end(words.get(0));
      case "remove" -> {
        return count(opened().removeEach(keys(words)));
      }
      case "withdraw" -> {
        String removed = count(opened().within(begin()).removeEach(keys(words)));
        end("commit");
        return removed;
      }
      case "rotate" -> ForcedRotation.rotate(dataSource, words.get(0));
      case "rebuild" -> ForcedRebuild.rebuild(dataSource, words.get(0));
      default -> throw new IllegalArgumentException(command);
    }
    return "ok";
  }

  /** The same for every process, so that one goes on where another was. */
  static KeySource source(List<Long> keys) {
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
    transaction = begun;
    begun.setAutoCommit(false);
    return begun;
  }

  private void end(String how) throws SQLException {
    try (Connection ending = transaction) {
      if (ending == null) {
        throw new IllegalStateException("no transaction was begun");
      }
      if (how.equals("commit")) {
        ending.commit();
      } else {
        ending.rollback();
      }
    } finally {
      transaction = null;
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
