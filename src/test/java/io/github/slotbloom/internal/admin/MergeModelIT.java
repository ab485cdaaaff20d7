package io.github.slotbloom.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.WhenFull;
import io.github.slotbloom.report.VerifyReport;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Keys;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Filters that are merged, copied, exported and imported in any order, with keys added and removed,
 * while handles of several users are open on them, answer like sets that err on one side only.
 *
 * <p>{@code slotbloom.model.seed} repeats a sequence; {@code slotbloom.model.steps} makes it
 * longer.
 */
@DatabaseContract(shortLeases = true, onOne = true)
@Timeout(180)
class MergeModelIT {

  private static final int STEPS = Integer.getInteger("slotbloom.model.steps", 50);
  private static final long SEED = Long.getLong("slotbloom.model.seed", new Random().nextInt());
  private static final int FILTERS = 3;
  private static final int CHECK_EVERY = 30;

  /** So few that most come up again. */
  private static final int DIFFERENT_KEYS = 3_000;

  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom there;

  @ParameterizedTest
  @CsvSource({"BLOCKED, false, false", "STANDARD, true, true"})
  void anySequenceOfOperationsAnswersLikeSets(
      Layout layout, boolean retainHashes, boolean removable) throws Exception {
    System.out.println("Model, " + layout + ", seed " + SEED);
    Random random = new Random(SEED);
    FilterSpec.Builder<Long> spec =
        FilterSpec.builder(KeyType.longs())
            .capacity(2_000)
            .falsePositiveRate(0.1)
            .layout(layout)
            .whenFull(WhenFull.DEGRADE)
            .seed(random.nextLong());
    if (retainHashes) {
      spec.retainHashes();
    }
    if (removable) {
      // So many that none is built anew by itself.
      spec.removable(100);
    }
    List<Model> models = new ArrayList<>();
    for (int i = 0; i < FILTERS; i++) {
      models.add(new Model("m_" + retainHashes + removable + "_" + i, spec.build(), random));
    }
    for (int step = 1; step <= STEPS; step++) {
      Model any = models.get(random.nextInt(FILTERS));
      any.step(models.get(random.nextInt(FILTERS)));
      if (step % CHECK_EVERY == 0 || step == STEPS) {
        for (Model model : models) {
          model.check();
        }
      }
    }
    for (Model model : models) {
      model.close();
    }
  }

  /** A filter, and what has to be in it. */
  private static final class Model {
    private final String name;
    private final FilterSpec<Long> spec;
    private final Random random;
    private final List<BloomFilter<Long>> handles = new ArrayList<>();
    private final Set<Long> members = new HashSet<>();

    /** Keys that were there and are removed, so they must not be found. */
    private final Set<Long> removed = new HashSet<>();

    Model(String name, FilterSpec<Long> spec, Random random) {
      this.name = name;
      this.spec = spec;
      this.random = random;
      here.reserve(name, spec).close();
      open();
    }

    private void open() {
      handles.add(here.open(name, spec));
      handles.add(there.open(name, spec));
      handles.add(there.open(name, spec, FilterOptions.defaults().withoutMirror()));
    }

    private BloomFilter<Long> any() {
      return handles.get(random.nextInt(handles.size()));
    }

    private SlotBloom anyBloom() {
      return random.nextBoolean() ? here : there;
    }

    void step(Model other) throws IOException {
      int dice = random.nextInt(100);
      if (dice < 44) {
        add();
      } else if (dice < 56 && spec.removablePercent().isPresent()) {
        remove();
      } else if (dice < 60) {
        assertFound(any(), members.stream().limit(500).toList());
      } else if (dice < 66) {
        any().fold();
      } else if (dice < 68) {
        clear();
      } else if (other == this) {
        reopen();
      } else if (dice < 92) {
        merge(other);
      } else {
        become(other);
      }
    }

    private void add() {
      List<Long> keys =
          LongStream.generate(() -> random.nextInt(DIFFERENT_KEYS))
              .limit(1 + random.nextInt(60))
              .boxed()
              .toList();
      boolean[] fresh = any().addEach(keys);
      for (int i = 0; i < fresh.length; i++) {
        boolean isMember = !members.add(keys.get(i));
        assertThat(fresh[i] && isMember)
            .as("%d is new, though it was added", keys.get(i))
            .isFalse();
        if (fresh[i]) {
          removed.remove(keys.get(i));
        }
        assertThat(removed)
            .as("%d is seen, though it was removed", keys.get(i))
            .doesNotContain(keys.get(i));
      }
    }

    private void remove() {
      List<Long> keys =
          LongStream.generate(() -> random.nextInt(DIFFERENT_KEYS))
              .limit(1 + random.nextInt(30))
              .distinct()
              .boxed()
              .toList();
      boolean[] out = any().removeEach(keys);
      for (int i = 0; i < out.length; i++) {
        Long key = keys.get(i);
        assertThat(out[i] || !members.contains(key)).as("%d was there", key).isTrue();
        assertThat(out[i] && removed.contains(key)).as("%d was removed", key).isFalse();
        if (out[i]) {
          removed.add(key);
        }
      }
      members.removeAll(keys);
    }

    private void clear() {
      any().clear();
      members.clear();
      removed.clear();
    }

    private void merge(Model from) {
      Set<Long> absent = new HashSet<>(removed);
      absent.addAll(from.removed);
      List<Long> asked = List.copyOf(absent);
      absent.retainAll(Keys.missing(any(), asked));
      absent.retainAll(Keys.missing(from.any(), asked));
      anyBloom().admin().merge(from.name, name);
      members.addAll(from.members);
      removed.clear();
      removed.addAll(absent);
      assertFound(any(), List.copyOf(from.members));
    }

    /** Another filter of the same name, which has what the other one has. */
    private void become(Model other) throws IOException {
      close();
      anyBloom().admin().drop(name);
      if (random.nextBoolean()) {
        anyBloom().admin().copy(other.name, name);
      } else {
        ByteArrayOutputStream export = new ByteArrayOutputStream();
        anyBloom().admin().exportTo(other.name, export);
        anyBloom().admin().importFrom(name, new ByteArrayInputStream(export.toByteArray()));
      }
      members.clear();
      members.addAll(other.members);
      removed.clear();
      removed.addAll(other.removed);
      open();
    }

    private void reopen() {
      close();
      open();
    }

    void close() {
      handles.forEach(BloomFilter::close);
      handles.clear();
    }

    private void assertFound(BloomFilter<Long> filter, List<Long> keys) {
      assertThat(Keys.missing(filter, keys)).as("keys of %s that were added", name).isEmpty();
    }

    /** Wherever one asks. */
    void check() {
      for (BloomFilter<Long> handle : handles) {
        assertFound(handle, List.copyOf(members));
        List<Long> gone = List.copyOf(removed);
        assertThat(handle.mightContainEach(gone))
            .as("keys of %s that were removed", name)
            .doesNotContain(true);
      }
      VerifyReport report = anyBloom().admin().verify(name, VerifyOptions.defaults());
      assertThat(report.sound()).as("%s", report).isTrue();
    }
  }
}
