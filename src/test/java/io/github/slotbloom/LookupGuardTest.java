package io.github.slotbloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.error.InvalidKeyException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.report.LookupStatistics;
import io.github.slotbloom.testing.Calls;
import io.github.slotbloom.testing.Crowd;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A guard and its caches, in front of a filter and a table that are in memory. */
@Timeout(180)
class LookupGuardTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** What the filter takes for members. */
  private final Set<Object> members = ConcurrentHashMap.newKeySet();

  private final List<Object> reported = new CopyOnWriteArrayList<>();
  private final Map<String, Integer> table = new ConcurrentHashMap<>();
  private final List<List<String>> lookups = new CopyOnWriteArrayList<>();
  private final AtomicLong clock = new AtomicLong();

  @SuppressWarnings("unchecked")
  private <K> BloomFilter<K> filter() {
    return (BloomFilter<K>)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {BloomFilter.class},
            (proxy, method, arguments) -> {
              List<?> keys = (List<?>) arguments[0];
              return switch (method.getName()) {
                case "mightContainEach" -> answers(keys);
                case "reportFalsePositives" -> {
                  reported.addAll(keys);
                  yield answers(keys);
                }
                default -> throw new UnsupportedOperationException(method.toString());
              };
            });
  }

  private boolean[] answers(List<?> keys) {
    boolean[] answers = new boolean[keys.size()];
    for (int i = 0; i < answers.length; i++) {
      answers[i] = members.contains(keys.get(i));
    }
    return answers;
  }

  private void insert(String key, int value) {
    members.add(key);
    table.put(key, value);
  }

  private Map<String, Integer> lookUp(List<String> keys) {
    lookups.add(List.copyOf(keys));
    Map<String, Integer> found = new HashMap<>();
    for (String key : keys) {
      Integer value = table.get(key);
      if (value != null) {
        found.put(key, value);
      }
    }
    return found;
  }

  private LookupGuard<String, Integer> cached() {
    return cached(this::lookUp);
  }

  private LookupGuard<String, Integer> cached(Function<List<String>, Map<String, Integer>> lookup) {
    return LookupGuard.<String, Integer>builder(filter(), lookup)
        .cache(100, MINUTE)
        .nullCache(100, MINUTE)
        .clock(clock::get)
        .build();
  }

  @Test
  void aGuardThatLoadsOneKeyAfterTheOtherPassesOnWhatTheLoaderThrows() throws Exception {
    insert("a", 1);
    members.addAll(List.of("b", "broken", "refused"));
    LookupGuard<String, Integer> guard =
        LookupGuard.<String, Integer>loading(
                filter(),
                key -> {
                  if (key.equals("broken")) {
                    throw new IOException(key);
                  }
                  if (key.equals("refused")) {
                    throw new IllegalStateException(key);
                  }
                  return table.get(key);
                })
            .build();
    assertThat(guard.find("a")).contains(1);
    assertThat(guard.find("b")).isEmpty();
    assertThat(reported).containsExactly("b");
    assertThatThrownBy(() -> guard.find("broken"))
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(IOException.class);
    assertThatThrownBy(() -> guard.find("refused")).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aGuardWithoutCachesLooksUpEachTime() {
    insert("a", 1);
    members.add("b");
    for (LookupGuard<String, Integer> guard :
        List.of(
            new LookupGuard<String, Integer>(filter(), this::lookUp),
            LookupGuard.<String, Integer>builder(filter(), this::lookUp).build())) {
      lookups.clear();
      reported.clear();
      for (int i = 0; i < 2; i++) {
        assertThat(guard.findAll(List.of("b", "a", "c", "a"))).containsExactly(Map.entry("a", 1));
      }
      guard.invalidate("a");
      assertThat(lookups).containsExactly(List.of("b", "a"), List.of("b", "a"));
      assertThat(reported).containsExactly("b", "b");
      assertThat(guard.statistics()).isEqualTo(new LookupStatistics(6, 2, 0, 0, 0, 4, 2, 2));
    }
  }

  @Test
  void eachKeyIsLookedUpOnce() {
    insert("a", 1);
    insert("d", 4);
    members.add("b");
    LookupGuard<String, Integer> guard = cached();
    assertThat(guard.find("a")).hasValue(1);
    assertThat(guard.find("b")).isEmpty();
    assertThat(guard.find("c")).isEmpty();
    assertThat(guard.findAll(List.of("d", "b", "c", "a")))
        .containsExactly(Map.entry("d", 4), Map.entry("a", 1));
    assertThat(guard.findAll(List.of("a", "d")))
        .containsExactly(Map.entry("a", 1), Map.entry("d", 4));
    assertThat(lookups).containsExactly(List.of("a"), List.of("b"), List.of("d"));
    assertThat(reported).as("once for each lookup").containsExactly("b");
    assertThat(guard.statistics()).isEqualTo(new LookupStatistics(9, 2, 3, 1, 0, 3, 2, 1));
  }

  @Test
  void keysAreForgottenAfterTheirTime() {
    insert("a", 1);
    members.add("b");
    LookupGuard<String, Integer> guard =
        LookupGuard.<String, Integer>builder(filter(), this::lookUp)
            .cache(100, Duration.ofSeconds(20))
            .nullCache(100, Duration.ofSeconds(10))
            .clock(clock::get)
            .build();
    guard.findAll(List.of("a", "b"));
    table.put("b", 2);
    clock.set(TimeUnit.SECONDS.toNanos(10) - 1);
    assertThat(guard.findAll(List.of("a", "b"))).containsOnlyKeys("a");
    clock.set(TimeUnit.SECONDS.toNanos(10));
    assertThat(guard.findAll(List.of("a", "b"))).containsOnlyKeys("a", "b");
    assertThat(lookups).containsExactly(List.of("a", "b"), List.of("b"));
    clock.set(TimeUnit.SECONDS.toNanos(20));
    guard.find("a");
    assertThat(lookups).last().isEqualTo(List.of("a"));
  }

  @Test
  void oneCacheMayBeLeftOut() {
    insert("a", 1);
    members.add("b");
    LookupGuard<String, Integer> values =
        LookupGuard.<String, Integer>builder(filter(), this::lookUp).cache(9, MINUTE).build();
    LookupGuard<String, Integer> nulls =
        LookupGuard.<String, Integer>builder(filter(), this::lookUp).nullCache(9, MINUTE).build();
    for (LookupGuard<String, Integer> guard : List.of(values, nulls)) {
      guard.findAll(List.of("a", "b"));
      assertThat(guard.findAll(List.of("a", "b"))).containsExactly(Map.entry("a", 1));
    }
    assertThat(lookups)
        .containsExactly(List.of("a", "b"), List.of("b"), List.of("a", "b"), List.of("a"));
  }

  @Test
  void theCachesHoldNoMoreThanTheirSize() {
    LookupGuard<String, Integer> guard =
        LookupGuard.<String, Integer>builder(filter(), this::lookUp)
            .cache(1, MINUTE)
            .nullCache(1, MINUTE)
            .build();
    for (int i = 0; i < 100; i++) {
      insert("there " + i, i);
      members.add("gone " + i);
    }
    for (int i = 0; i < 200; i++) {
      guard.findAll(List.of("there " + i % 100, "gone " + i % 100));
    }
    LookupStatistics statistics = guard.statistics();
    assertThat(statistics.cacheHits()).isLessThanOrEqualTo(1);
    assertThat(statistics.nullCacheHits()).isLessThanOrEqualTo(1);
  }

  @Test
  void invalidatingShowsWhatChanged() {
    insert("a", 1);
    members.add("b");
    LookupGuard<String, Integer> guard = cached();
    guard.findAll(List.of("a", "b"));
    table.remove("a");
    insert("b", 2);
    assertThat(guard.findAll(List.of("a", "b"))).containsExactly(Map.entry("a", 1));
    List.of("a", "b", "unknown").forEach(guard::invalidate);
    assertThat(guard.findAll(List.of("a", "b"))).containsExactly(Map.entry("b", 2));
  }

  /** Looks up, and returns what it saw only when it may. */
  private final class SlowLookup implements Function<List<String>, Map<String, Integer>> {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    @Override
    public Map<String, Integer> apply(List<String> keys) {
      Map<String, Integer> seen = lookUp(keys);
      begun.countDown();
      try {
        if (!mayEnd.await(30, TimeUnit.SECONDS)) {
          throw new IllegalStateException("The test let the lookup wait.");
        }
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      return seen;
    }
  }

  @Test
  void aLookupThatBeganBeforeAChangeLeavesNothingInTheCaches() throws Exception {
    members.add("a");
    insert("b", 1);
    SlowLookup slow = new SlowLookup();
    AtomicInteger calls = new AtomicInteger();
    LookupGuard<String, Integer> guard =
        cached(keys -> calls.getAndIncrement() == 0 ? slow.apply(keys) : lookUp(keys));
    CompletableFuture<Map<String, Integer>> early =
        Calls.inBackground(() -> guard.findAll(List.of("a", "b")));
    slow.begun.await();
    insert("a", 1);
    insert("b", 2);
    List.of("a", "b").forEach(guard::invalidate);
    assertThat(guard.find("a")).as("does not wait for the lookup before").hasValue(1);
    slow.mayEnd.countDown();

    assertThat(Calls.get(early)).containsExactly(Map.entry("b", 1));
    assertThat(guard.findAll(List.of("a", "b")))
        .containsExactly(Map.entry("a", 1), Map.entry("b", 2));
  }

  @Test
  void oneCallerLooksUpForAll() throws Exception {
    insert("a", 1);
    SlowLookup slow = new SlowLookup();
    LookupGuard<String, Integer> guard = cached(slow);
    List<CompletableFuture<?>> callers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      callers.add(Calls.inBackground(() -> guard.find("a").orElseThrow()));
    }
    await().until(() -> guard.statistics().shared() == 19);
    slow.mayEnd.countDown();
    for (CompletableFuture<?> caller : callers) {
      assertThat(Calls.get(caller)).isEqualTo(1);
    }
    assertThat(lookups).containsExactly(List.of("a"));
    assertThat(guard.statistics()).isEqualTo(new LookupStatistics(20, 0, 0, 0, 19, 1, 1, 0));
  }

  @Test
  void aCallerLooksUpItsOwnKeysBeforeItWaitsForThoseOfOthers() throws Exception {
    insert("a", 1);
    insert("b", 2);
    SlowLookup slow = new SlowLookup();
    LookupGuard<String, Integer> guard =
        cached(keys -> keys.contains("a") ? slow.apply(keys) : lookUp(keys));
    CompletableFuture<Map<String, Integer>> first =
        Calls.inBackground(() -> guard.findAll(List.of("a")));
    slow.begun.await();
    CompletableFuture<Map<String, Integer>> second =
        Calls.inBackground(() -> guard.findAll(List.of("a", "b")));
    await().until(() -> lookups.contains(List.of("b")));
    assertThat(guard.find("b")).as("while others wait").hasValue(2);
    slow.mayEnd.countDown();
    assertThat(Calls.get(first)).containsOnlyKeys("a");
    assertThat(Calls.get(second)).containsExactly(Map.entry("a", 1), Map.entry("b", 2));
    assertThat(lookups).containsExactlyInAnyOrder(List.of("a"), List.of("b"));
  }

  @Test
  void overlappingCallsNeverWaitInACircle() throws Exception {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      keys.add("key " + i);
      insert("key " + i, i);
    }
    LookupGuard<String, Integer> guard = cached();
    Crowd.of(
            8,
            number -> {
              for (int round = 0; round < 500; round++) {
                List<String> some = new ArrayList<>(keys);
                Collections.shuffle(some, ThreadLocalRandom.current());
                List<String> asked = some.subList(0, 10);
                assertThat(guard.findAll(asked)).containsOnlyKeys(asked);
                some.subList(5, 8).forEach(guard::invalidate);
              }
            })
        .join(Duration.ofSeconds(50));
    LookupStatistics all = guard.statistics();
    assertThat(all.cacheHits() + all.shared() + all.lookups()).isEqualTo(all.asked());
    assertThat(all.found()).isEqualTo(all.lookups());
  }

  /** An entry that outlives the change that it is older than would be found here. */
  @Test
  void noCallerSeesAnOlderValueThanTheOneItInvalidated() throws Exception {
    LookupGuard<String, Integer> guard = cached();
    insert("a", 0);
    Crowd.of(
            4,
            number -> {
              for (int i = 1; i <= 5_000; i++) {
                if (number == 0) {
                  table.put("a", i);
                  guard.invalidate("a");
                  assertThat(guard.find("a")).hasValue(i);
                } else {
                  guard.find("a");
                }
              }
            })
        .join(Duration.ofSeconds(50));
  }

  @Test
  void allWhoWaitGetTheExceptionOfTheLookup() throws Exception {
    insert("a", 1);
    IllegalStateException failure = new IllegalStateException("no table");
    SlowLookup slow = new SlowLookup();
    AtomicInteger calls = new AtomicInteger();
    LookupGuard<String, Integer> guard =
        cached(
            keys -> {
              if (calls.getAndIncrement() > 0) {
                return lookUp(keys);
              }
              slow.apply(keys);
              throw failure;
            });
    List<CompletableFuture<?>> callers = new ArrayList<>();
    IntStream.range(0, 3).forEach(i -> callers.add(Calls.inBackground(() -> guard.find("a"))));
    await().until(() -> guard.statistics().shared() == 2);
    slow.mayEnd.countDown();
    for (CompletableFuture<?> caller : callers) {
      assertThatThrownBy(() -> Calls.get(caller))
          .isInstanceOf(ExecutionException.class)
          .cause()
          .isSameAs(failure);
    }
    assertThat(guard.find("a")).as("the next caller tries again").hasValue(1);
  }

  @Test
  void nobodyWaitsForALookupThatEndedWithAnError() throws Exception {
    insert("a", 1);
    SlowLookup slow = new SlowLookup();
    LookupGuard<String, Integer> guard =
        cached(
            keys -> {
              slow.apply(keys);
              throw new StackOverflowError("thrown by a lookup of a test, on purpose");
            });
    CompletableFuture<?> first = Calls.inBackground(() -> guard.find("a"));
    slow.begun.await();
    CompletableFuture<?> second = Calls.inBackground(() -> guard.find("a"));
    await().until(() -> guard.statistics().shared() == 1);
    slow.mayEnd.countDown();
    assertThatThrownBy(() -> Calls.get(first)).hasCauseInstanceOf(StackOverflowError.class);
    assertThatThrownBy(() -> Calls.get(second))
        .hasCauseInstanceOf(IllegalStateException.class)
        .hasRootCauseInstanceOf(StackOverflowError.class);
  }

  @Test
  void aLookupThatReturnsNoMapIsRefused() {
    insert("a", 1);
    for (LookupGuard<String, Integer> guard :
        List.of(new LookupGuard<String, Integer>(filter(), keys -> null), cached(keys -> null))) {
      assertThatThrownBy(() -> guard.find("a"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("The lookup returned null");
    }
  }

  @Test
  void aLookupThatAsksTheGuardForItsKeyIsRefused() {
    insert("a", 1);
    List<LookupGuard<String, Integer>> guards = new ArrayList<>();
    guards.add(cached(keys -> guards.get(0).findAll(keys)));
    assertThatThrownBy(() -> guards.get(0).find("a"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Query the table");
  }

  @Test
  void cachesRefuseArraysAsKeys() {
    byte[] key = {1};
    members.add(key);
    LookupGuard<byte[], Integer> guard =
        LookupGuard.<byte[], Integer>builder(filter(), keys -> Map.of()).cache(1, MINUTE).build();
    assertThatThrownBy(() -> guard.find(key))
        .isInstanceOf(InvalidKeyException.class)
        .hasMessageContaining("without caches");
  }

  @Test
  void sizesAndDurationsMustBePositive() {
    LookupGuard.Builder<String, Integer> builder = LookupGuard.builder(filter(), this::lookUp);
    assertThatThrownBy(() -> builder.cache(0, MINUTE))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining("its size is 0");
    assertThatThrownBy(() -> builder.nullCache(1, Duration.ZERO))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining("PT0S");
  }

  @Test
  void cachesWithoutCaffeineSayWhatToAdd() throws Exception {
    String real = System.getProperty("surefire.test.class.path");
    String classPath = real == null ? System.getProperty("java.class.path") : real;
    List<URL> urls = new ArrayList<>();
    for (String entry : classPath.split(File.pathSeparator)) {
      if (!entry.contains("caffeine")) {
        urls.add(Path.of(entry).toUri().toURL());
      }
    }
    try (URLClassLoader loader =
        new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      Class<?> filterType = loader.loadClass(BloomFilter.class.getName());
      Object filter =
          Proxy.newProxyInstance(loader, new Class<?>[] {filterType}, (proxy, method, a) -> null);
      Class<?> type = loader.loadClass(LookupGuard.class.getName());
      Function<List<String>, Map<String, Integer>> lookup = keys -> Map.of();
      Object without = type.getConstructor(filterType, Function.class).newInstance(filter, lookup);
      assertThat(without).isNotNull();
      Object builder =
          type.getMethod("builder", filterType, Function.class).invoke(null, filter, lookup);
      Class<?> builderType = builder.getClass();
      builderType.getMethod("cache", long.class, Duration.class).invoke(builder, 1L, MINUTE);
      assertThatThrownBy(() -> builderType.getMethod("build").invoke(builder))
          .isInstanceOf(InvocationTargetException.class)
          .cause()
          .hasMessageContaining("Add com.github.ben-manes.caffeine:caffeine")
          .satisfies(
              e ->
                  assertThat(e.getClass().getName())
                      .isEqualTo(InvalidParameterException.class.getName()));
    }
    assertThat(Arrays.asList(classPath.split(File.pathSeparator)))
        .as("it is there otherwise")
        .anyMatch(entry -> entry.contains("caffeine"));
  }
}
