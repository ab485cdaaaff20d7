package io.github.slotbloom.cli.page;

import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterInfo.Generation;
import io.github.slotbloom.FilterInfo.Generation.State;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.cli.page.HeatGrid.Outlier;
import io.github.slotbloom.cli.page.Notice.Level;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.WhenFull;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Derives notices from the figures of a filter: problems and their remedies. */
final class Advice {

  /**
   * Bits are set by chance, so an error rate slightly above the target does not count as exceeded.
   */
  private static final double RATE_TOLERANCE = 1.1;

  /** Each generation adds a statement to a question without a mirror. */
  private static final long MANY_GENERATIONS = 4;

  /** From this share of the capacity on, it is time to build the filter anew. */
  private static final double MANY_REMOVED = 0.8;

  /** A deviation this large happens by chance in less than one of 10^9 filters. */
  private static final double LOG_IMPROBABLE = 9 * Math.log(10);

  /** Folding a full batch of a large filter takes minutes, so a shorter lag is normal. */
  private static final Duration LONG_LAG = Duration.ofHours(1);

  private static final String LOST =
      "Keys that were added may be answered as new. Repair what the journal still holds. Add"
          + " the other keys again, or replace the filter from a source that has all keys.";

  private static final String LARGER_WINDOW =
      " If that is no exception, reserve a window for more keys, and change over to it.";

  private final FilterInfo info;
  private final RateModel rates;
  private final List<HeatGrid> grids;
  private final List<Notice> notices = new ArrayList<>();

  Advice(FilterInfo info, RateModel rates, List<HeatGrid> grids) {
    this.info = info;
    this.rates = rates;
    this.grids = grids;
  }

  /** Returns all notices that apply, in no particular order of levels. */
  List<Notice> all() {
    notices.clear();
    grids.forEach(this::missingRows);
    grids.forEach(this::skew);
    saturation();
    errorRate();
    capacity();
    removedKeys();
    lostKeys();
    backlog();
    replacement();
    generations();
    expired();
    return List.copyOf(notices);
  }

  private void add(Level level, String title, String text, String... commands) {
    notices.add(new Notice(level, title, text, List.of(commands)));
  }

  private String command(String name, String arguments) {
    return "slotbloom " + name + " " + new FilterName(info.name()) + arguments;
  }

  private void missingRows(HeatGrid grid) {
    long missing = grid.missingRows();
    if (missing > 0) {
      add(
          Level.DAMAGE,
          Notation.count(missing, "row") + " missing in " + grid.slotTable(),
          "A slot without a row is 64 zero bits, and chance leaves fewer of them empty. " + LOST,
          repair());
    }
  }

  private void skew(HeatGrid grid) {
    List<Outlier> empty = outliers(grid, Outlier.Kind.TOO_EMPTY);
    List<Outlier> full = outliers(grid, Outlier.Kind.TOO_FULL);
    if (!empty.isEmpty()) {
      add(
          Level.DAMAGE,
          "Slots of " + grid.slotTable() + " are emptier than chance allows",
          where(grid, empty) + LOST,
          repair());
    }
    if (!full.isEmpty()) {
      add(
          Level.WARNING,
          "Slots of " + grid.slotTable() + " are fuller than chance allows",
          where(grid, full)
              + "Somebody set bits by hand, or chose keys that fall together"
              + (empty.isEmpty() ? "" : ", or so many bits are lost elsewhere that it seems so")
              + ". Where others choose the keys, take a hash function whose seed is a secret:"
              + " reserve --hash siphash24.");
    }
  }

  private static String where(HeatGrid grid, List<Outlier> outliers) {
    Outlier first = outliers.get(0);
    return Notation.count(outliers.size(), "range")
        + ", the first from slot "
        + Notation.count(first.range().firstSlot())
        + " on with "
        + Notation.share(grid.fill(first.range()))
        + " of its bits set, where the generation has "
        + grid.fill()
        + ". Chance would do so less than once in a billion filters. ";
  }

  private static List<Outlier> outliers(HeatGrid grid, Outlier.Kind kind) {
    return grid.outliers().stream().filter(outlier -> outlier.kind() == kind).toList();
  }

  private String repair() {
    return command("verify", " --repair");
  }

  private void saturation() {
    if (info.saturated()) {
      add(
          Level.WARNING,
          "Bits are saturated",
          "In a part of the filter all bits are set, and any key that falls there is taken for a"
              + " member; how many keys it holds can only be told as “at least”."
              + (isWindow() ? LARGER_WINDOW : ""),
          enlarging(replace()));
    }
  }

  private void errorRate() {
    if (isAboveTarget()) {
      add(
          Level.WARNING,
          "The error rate is above its target",
          "Of the keys that were never added, "
              + Notation.rate(rates.now())
              + " are taken for members; the target is "
              + Notation.rate(info.falsePositiveRate())
              + (isWindow()
                  ? "." + LARGER_WINDOW
                  : ". Growing does not undo that; replace the filter by a larger one."),
          enlarging(replace()));
    }
  }

  private boolean isAboveTarget() {
    return rates.now() > RATE_TOLERANCE * info.falsePositiveRate();
  }

  private void capacity() {
    boolean full = info.keysSet() >= info.fullAt();
    if (!full && !info.nearlyFull()) {
      return;
    }
    if (isWindow()) {
      capacityOfBucket(full);
      return;
    }
    String title = full ? "The filter is full" : "The filter is nearly full";
    String held =
        "It holds "
            + Notation.count(info.keysSet())
            + " of "
            + Notation.count(info.fullAt(), "key")
            + (info.keysSet() > info.keysAdded() ? ", removed ones included. " : ". ");
    if (isBeingReplaced()) {
      add(
          Level.WARNING,
          title,
          held
              + (info.whenFull() == WhenFull.REFUSE
                  ? "New keys are refused beyond that"
                  : "Its error rate rises with each key beyond that")
              + ", and it cannot grow while it is being replaced. Finish that, or give it up.",
          command("grow", " --status"),
          command("grow", " --abort"));
      return;
    }
    if (info.whenFull() == WhenFull.GROW && info.keysSet() <= info.fullAt()) {
      add(
          Level.NOTE,
          title,
          held
              + "It grows by itself, to twice as many, if an account that adds may make tables."
              + " You need not do anything.");
      return;
    }
    String then =
        switch (info.whenFull()) {
          case GROW -> "It could not grow by itself, and its error rate rises with each key. ";
          case REFUSE ->
              full ? "New keys are refused. " : "Once it is full, new keys are refused. ";
          case DEGRADE ->
              full
                  ? "Its error rate rises with each key. "
                  : "Once it is full, its error rate rises above the target. ";
        };
    boolean late = isAboveTarget();
    String remedy =
        !info.growable()
            ? "It was reserved as fixed, so replace it by a larger one."
            : late ? "Replace it by a larger one." : "Let it grow.";
    add(Level.WARNING, title, held + then + remedy, info.growable() && !late ? grow() : replace());
  }

  private void capacityOfBucket(boolean full) {
    boolean grows = info.whenFull() == WhenFull.GROW;
    boolean overfull = info.keysSet() > info.fullAt();
    String then =
        switch (info.whenFull()) {
          case GROW ->
              overfull
                  ? "It could not grow by itself, and its error rate rises with each key."
                  : "It grows by itself, if an account that adds may make tables. You need not do"
                      + " anything.";
          case REFUSE -> "Beyond that, new keys are refused until the next bucket begins.";
          case DEGRADE ->
              "Beyond that, its error rate rises with each key until the next bucket begins.";
        };
    add(
        grows && !overfull ? Level.NOTE : Level.WARNING,
        full ? "The present bucket is full" : "The present bucket is nearly full",
        "It holds "
            + Notation.count(info.keysSet() - info.keysInPastBuckets())
            + " of "
            + Notation.count(info.fullAt() - info.keysInPastBuckets(), "key")
            + ". "
            + then
            + (grows ? "" : LARGER_WINDOW));
  }

  private boolean isWindow() {
    return info.window().isPresent();
  }

  /** Returns the command that makes the filter larger; none for a window, which cannot be. */
  private String[] enlarging(String command) {
    return isWindow() ? new String[0] : new String[] {command};
  }

  private String grow() {
    return command("grow", " --capacity " + larger());
  }

  private String replace() {
    return grow() + source();
  }

  private String source() {
    return info.retainHashes() ? " --from-journal" : " --from FILE";
  }

  private long larger() {
    return 2 * Math.max(info.fullAt(), info.keysSet());
  }

  private void removedKeys() {
    if (!info.removable() || info.keysRemoved() < MANY_REMOVED * info.removableKeys()) {
      return;
    }
    boolean full = info.keysRemoved() >= info.removableKeys() && info.whenFull() != WhenFull.GROW;
    add(
        Level.WARNING,
        full ? "No more keys can be removed" : "Removed keys take most of the room",
        Notation.count(info.keysRemoved())
            + " of "
            + Notation.count(info.removableKeys(), "key")
            + " are removed. Their bits are still set until the filter is built anew. "
            + (info.retainHashes()
                ? "A program that has it open does that by itself, if it may make and drop tables."
                : "That takes a source of its keys."),
        command("grow", " --capacity " + info.fullAt() + source()));
  }

  private void lostKeys() {
    boolean explained = notices.stream().anyMatch(notice -> notice.level() == Level.DAMAGE);
    if (explained || info.backlog() > 0 || info.saturated() || isBeingReplaced()) {
      return;
    }
    double missing = info.keysSet() - info.estimatedKeys() - estimationError();
    if (missing > 0) {
      add(
          Level.WARNING,
          "The bits stand for fewer keys than were added",
          "Their number fits about "
              + Notation.count(Math.round(info.estimatedKeys()))
              + " of "
              + Notation.count(info.keysSet(), "key")
              + ", and chance does not make them so few. Either bits were lost, or the filter was"
              + " replaced by force from a source with fewer keys. If in doubt, ask for keys that"
              + " were added.",
          command("verify", " --keys FILE"));
    }
  }

  /**
   * Returns the number of keys that the estimate may lack by chance. Each of n keys changes the
   * number of set bits by k at most. So that number is farther than k sqrt(n ln(10^9) / 2) from its
   * mean less than once in 10^9 (McDiarmid: On the Method of Bounded Differences, 1989). One more
   * key sets k bits times the share of clear bits.
   */
  private double estimationError() {
    double keys = info.keysSet();
    return info.generations().stream()
        .mapToDouble(g -> Math.sqrt(keys * LOG_IMPROBABLE / 2) / Math.max(1e-9, 1 - g.fill()))
        .sum();
  }

  private void backlog() {
    if (info.backlog() == 0) {
      return;
    }
    int limit = FilterOptions.defaults().backlogLimit();
    boolean large = info.backlog() > limit / 4 || info.foldLag().compareTo(LONG_LAG) > 0;
    add(
        large ? Level.WARNING : Level.NOTE,
        "Entries wait to be folded",
        (info.backlog() == 1
                ? "The bits of one journal entry are"
                : "The bits of " + Notation.count(info.backlog()) + " journal entries are")
            + " not in the slot tables yet, so the bits, the fill and the map on this page lack them;"
            + " no answer does. A program that has the filter open folds them in the background"
            + (large
                ? ", and none seems to keep up; beyond "
                    + Notation.count(limit)
                    + " adds have to wait"
                : "")
            + ". The oldest waits for "
            + Notation.duration(info.foldLag())
            + ".",
        command("fold", ""));
  }

  private boolean isBeingReplaced() {
    return info.replacementCapacity().isPresent();
  }

  private void replacement() {
    if (isBeingReplaced()) {
      add(
          Level.NOTE,
          "The filter is being replaced",
          "A generation for "
              + Notation.count(info.replacementCapacity().orElseThrow(), "key")
              + " is being filled that is to answer alone. Until then capacity and curve are those of"
              + " the generations that still answer.",
          command("grow", " --status"));
    }
  }

  private void generations() {
    List<Generation> answering =
        info.generations().stream().filter(g -> g.state() == State.ACTIVE).toList();
    if (answering.size() >= MANY_GENERATIONS && !isWindow()) {
      add(
          Level.NOTE,
          "The filter has " + answering.size() + " generations",
          "All are asked for each key that is not a member, and each took more bits a key than the"
              + " one before. A single one that is large enough is cheaper.",
          replace());
    }
  }

  private void expired() {
    long count = info.generations().stream().filter(g -> g.state() == State.EXPIRED).count();
    if (count > 0) {
      add(
          Level.NOTE,
          "The keys of " + Notation.count(count, "generation") + " expired",
          "No answer counts them. Their tables go once keys are added again, and a program that adds"
              + " may drop tables.");
    }
  }
}
