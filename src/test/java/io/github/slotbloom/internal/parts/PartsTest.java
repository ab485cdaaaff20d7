package io.github.slotbloom.internal.parts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.error.FilterClosedException;
import io.github.slotbloom.error.FilterFullException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.internal.background.ParallelCalls;
import io.github.slotbloom.internal.bits.PartOfHash;
import io.github.slotbloom.internal.opened.KeyHashing;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Three parts in memory, each of which can fail. The hash of a key is the key. */
class PartsTest {

  private static final int COUNT = 3;

  private final Map<Integer, RuntimeException> failures = new HashMap<>();
  private final List<List<Long>> added = new ArrayList<>();
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
  private final List<BloomFilter<Long>> filters =
      IntStream.range(0, COUNT).mapToObj(this::filter).toList();
  private final Parts<Long> parts =
      new Parts<>("pages", filters, key -> key, new ParallelCalls(Runnable::run));

  @SuppressWarnings("unchecked")
  private BloomFilter<Long> filter(int number) {
    added.add(new ArrayList<>());
    return (BloomFilter<Long>)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {BloomFilter.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("name")) {
                return new PartName("pages", number, COUNT).filter();
              }
              threads.add(Thread.currentThread());
              RuntimeException failure = failures.get(number);
              if (failure != null) {
                throw failure;
              }
              return switch (method.getName()) {
                case "addEach" -> add(number, (List<Long>) arguments[0]);
                case "close" -> added.get(number).add(-1L);
                default -> throw new UnsupportedOperationException(method.toString());
              };
            });
  }

  private boolean[] add(int number, List<Long> keys) {
    boolean[] fresh = new boolean[keys.size()];
    for (int i = 0; i < fresh.length; i++) {
      fresh[i] = !added.get(number).contains(keys.get(i));
      added.get(number).add(keys.get(i));
    }
    return fresh;
  }

  /** Returns keys that belong to these parts, in this order, no two of them equal. */
  private static List<Long> keysOf(int... numbers) {
    Set<Long> used = new HashSet<>();
    return Arrays.stream(numbers)
        .mapToObj(
            number ->
                LongStream.iterate(1, key -> key + 1)
                    .filter(key -> PartOfHash.of(key, COUNT) == number && used.add(key))
                    .findFirst()
                    .orElseThrow())
        .toList();
  }

  private WriteFailedException failureOf(List<Long> keys) {
    return catchThrowableOfType(
        WriteFailedException.class, () -> parts.writeEach(keys, BloomFilter::addEach));
  }

  private static WriteFailedException failed(int part, Outcome outcome, int durable) {
    return new WriteFailedException(
        "pages_" + part + "_of_3", outcome, durable, "part " + part, null);
  }

  @Test
  void answersStandInTheOrderOfTheKeys() {
    List<Long> keys = new ArrayList<>(keysOf(2, 0, 1, 0, 2, 1, 1));
    keys.add(3, keys.get(0));
    keys.add(keys.get(4));

    assertThat(parts.writeEach(keys, BloomFilter::addEach))
        .containsExactly(true, true, true, false, true, true, true, true, false);
    for (int part = 0; part < COUNT; part++) {
      int number = part;
      assertThat(added.get(part))
          .containsExactlyElementsOf(
              keys.stream().filter(key -> PartOfHash.of(key, COUNT) == number).toList());
    }
    assertThat(parts.writeEach(List.of(), BloomFilter::addEach)).isEmpty();
  }

  @Test
  void moreKeysThanAFewKeepTheirOrder() {
    List<Long> keys = LongStream.range(0, 1000).boxed().toList();
    Set<Long> odd = new HashSet<>(keys.stream().filter(key -> key % 2 == 1).toList());
    boolean[] answers =
        parts.askEach(
            keys,
            (part, its) -> {
              boolean[] isOdd = new boolean[its.size()];
              for (int i = 0; i < isOdd.length; i++) {
                isOdd[i] = odd.contains(its.get(i));
              }
              return isOdd;
            });
    assertThat(KeyHashing.filterNew(keys, same -> answers))
        .containsExactlyElementsOf(keys.stream().filter(odd::contains).toList());
  }

  @Test
  void keysBeforeTheFirstOneThatIsMissingAreDurable() {
    failures.put(1, failed(1, Outcome.NOT_RECORDED, 2));
    WriteFailedException failure = failureOf(keysOf(1, 0, 1, 2, 1, 0));
    assertThat(failure.durableKeys()).isEqualTo(4);
    assertThat(failure.outcome()).as("the last key is recorded").isEqualTo(Outcome.UNKNOWN);
    assertThat(failure.filter()).isEqualTo("pages_1_of_3");
    assertThat(failure)
        .hasMessageContaining("Not all parts of filter pages could write")
        .hasMessageContaining("first 4 keys")
        .hasMessageContaining("pages_1_of_3: part 1")
        .hasCause(failures.get(1));
    assertThat(added.get(0)).as("others go on").hasSize(2);
  }

  @Test
  void aPartThatDoesNotKnowMakesTheOutcomeUnknown() {
    failures.put(1, failed(1, Outcome.UNKNOWN, 0));
    assertThat(failureOf(keysOf(0, 1)).outcome()).isEqualTo(Outcome.UNKNOWN);
    failures.put(1, new FilterUnavailableException("part 1", null));
    assertThat(failureOf(keysOf(0, 1)).outcome()).isEqualTo(Outcome.UNKNOWN);
    failures.put(1, new IllegalStateException("part 1"));
    assertThat(failureOf(keysOf(0, 1)).outcome()).isEqualTo(Outcome.UNKNOWN);
  }

  @Test
  void ofSeveralFailuresTheEarliestMissingKeyCounts() {
    failures.put(0, failed(0, Outcome.NOT_RECORDED, 1));
    failures.put(2, failed(2, Outcome.NOT_RECORDED, 0));
    WriteFailedException failure = failureOf(keysOf(0, 0, 2, 1, 0));
    assertThat(failure.durableKeys()).isEqualTo(1);
    assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN);
    assertThat(failure.getCause()).hasSuppressedException(failures.get(2));
    assertThat(failureOf(keysOf(2, 0, 0)).durableKeys()).isZero();
  }

  @Test
  void aPartThatIsFullFailsTheCallThoughOthersRecordTheirKeys() {
    failures.put(1, new FilterFullException("pages_1_of_3", "pages_1_of_3", 5, 5));
    WriteFailedException failure = failureOf(keysOf(0, 1, 0));
    assertThat(failure.durableKeys()).isEqualTo(1);
    assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN);
    assertThat(failure).hasCause(failures.get(1));
  }

  @Test
  void closedPartsSayThatTheyAreClosed() {
    for (int part = 0; part < COUNT; part++) {
      failures.put(part, new FilterClosedException("part " + part));
    }
    assertThatThrownBy(() -> parts.writeEach(keysOf(1, 2), BloomFilter::addEach))
        .isSameAs(failures.get(1))
        .hasSuppressedException(failures.get(2));
  }

  @Test
  void ifEachPartRefusesNothingIsRecordedAndThatIsSaid() {
    for (int part = 0; part < COUNT; part++) {
      failures.put(part, new FilterFullException("pages", "pages", 5, 5));
    }
    assertThatThrownBy(() -> parts.writeEach(keysOf(1, 2), BloomFilter::addEach))
        .isSameAs(failures.get(1));
  }

  @Test
  void theFailureOfKeysOfOnePartIsThatOfThePart() {
    failures.put(1, failed(1, Outcome.NOT_RECORDED, 1));
    assertThat(failureOf(keysOf(1, 1))).isSameAs(failures.get(1));
  }

  @Test
  void aLookupFailsWithTheFirstPartThatFails() {
    failures.put(0, new FilterUnavailableException("part 0", null));
    failures.put(2, new FilterUnavailableException("part 2", null));
    assertThatThrownBy(() -> parts.askEach(keysOf(2, 1, 0), BloomFilter::addEach))
        .isSameAs(failures.get(0))
        .hasSuppressedException(failures.get(2));
    assertThat(parts.askEach(keysOf(1), BloomFilter::addEach)).hasSize(1);
  }

  @Test
  void allPartsAreClosedThoughOneFails() {
    failures.put(0, new IllegalStateException("part 0"));
    assertThatThrownBy(parts::close).isSameAs(failures.get(0));
    assertThat(added.get(1)).containsExactly(-1L);
    assertThat(added.get(2)).containsExactly(-1L);
  }
}
