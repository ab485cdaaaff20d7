package io.github.slotbloom.cli.page;

import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterInfo.Generation;
import io.github.slotbloom.FilterInfo.Generation.State;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.cli.page.HeatGrid.Outlier;
import io.github.slotbloom.cli.page.Notice.Level;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.OnFull;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Derives notices from the figures of a filter: problems and their remedies. */
final class Advice {

  /**
   * Bits are set by chance, so a false positive rate slightly above the target does not count as
   * exceeded.
   */
  private static final double RATE_TOLERANCE = 1.1;

  /** Each generation adds a statement to a lookup without a mirror. */
  private static final long MANY_GENERATIONS = 4;

  /** From this share of the capacity on, it is time to rebuild the filter. */
  private static final double MANY_REMOVED = 0.8;

  /** A deviation this large happens by chance in less than one of 10^9 filters. */
  private static final double LOG_IMPROBABLE = 9 * Math.log(10);

  /** Folding a full batch of a large filter takes minutes, so a shorter lag is normal. */
  private static final Duration LONG_LAG = Duration.ofHours(1);

  private static final String LOST =
      "Keys that were added can be reported as new. Repair what the journal still has. Then add the"
          + " other keys again, or replace the filter from a source with all keys.";

  private static final String LARGER_WINDOW =
      " If this is the usual load, create a window with a larger capacity and switch to it.";

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
    falsePositiveRate();
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
          "A slot without a row is 64 zero bits. More slots are empty than chance explains. "
              + LOST,
          repair());
    }
  }

  private void skew(HeatGrid grid) {
    List<Outlier> empty = outliers(grid, Outlier.Kind.TOO_EMPTY);
    List<Outlier> full = outliers(grid, Outlier.Kind.TOO_FULL);
    if (!empty.isEmpty()) {
      add(
          Level.DAMAGE,
          "Slots of " + grid.slotTable() + " are emptier than chance explains",
          where(grid, empty) + LOST,
          repair());
    }
    if (!full.isEmpty()) {
      add(
          Level.WARNING,
          "Slots of " + grid.slotTable() + " are fuller than chance explains",
          where(grid, full)
              + "Someone set bits by hand, or chose keys that share slots"
              + (empty.isEmpty()
                  ? ""
                  : ", or so many bits are lost elsewhere that it looks that way")
              + ". If others choose the keys, create the filter with a hash function that has a"
              + " secret seed: slotbloom reserve NAME --capacity N --hash siphash24.");
    }
  }

  private static String where(HeatGrid grid, List<Outlier> outliers) {
    Outlier first = outliers.get(0);
    return Notation.count(outliers.size(), "range")
        + "; the first begins at slot "
        + Notation.count(first.range().firstSlot())
        + " and has "
        + Notation.share(grid.fill(first.range()))
        + " of its bits set, but the generation has "
        + grid.fill()
        + ". By chance, that happens in less than one of a billion filters. ";
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
          "In part of the filter all bits are set, so every key that hashes there counts as a"
              + " member. The estimate of its keys is only a lower bound."
              + (isWindow() ? LARGER_WINDOW : ""),
          enlarging(replace()));
    }
  }

  private void falsePositiveRate() {
    if (isAboveTarget()) {
      add(
          Level.WARNING,
          "The false positive rate is above its target",
          "Of the keys that were never added, "
              + Notation.rate(rates.now())
              + " count as members; the target is "
              + Notation.rate(info.falsePositiveRate())
              + (isWindow()
                  ? "." + LARGER_WINDOW
                  : ". Growing does not lower the rate; replace the filter with a larger one."),
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
            + (info.keysSet() > info.keysAdded() ? ", including removed ones. " : ". ");
    if (isBeingReplaced()) {
      add(
          Level.WARNING,
          title,
          held
              + (info.onFull() == OnFull.REFUSE
                  ? "Beyond that, new keys are rejected"
                  : "Beyond that, its false positive rate rises with each key")
              + ", and it cannot grow while it is being replaced. Finish the replacement, or abort"
              + " it.",
          command("grow", " --status"),
          command("grow", " --abort"));
      return;
    }
    if (info.onFull() == OnFull.GROW && info.keysSet() <= info.fullAt()) {
      add(
          Level.NOTE,
          title,
          held
              + "It grows automatically, to twice its capacity, if an account that adds keys can"
              + " create tables. You do not need to do anything.");
      return;
    }
    String then =
        switch (info.onFull()) {
          case GROW ->
              "It could not grow automatically, and its false positive rate rises with each key. ";
          case REFUSE ->
              full ? "New keys are rejected. " : "Once it is full, new keys are rejected. ";
          case DEGRADE ->
              full
                  ? "Its false positive rate rises with each key. "
                  : "Once it is full, its false positive rate rises above the target. ";
        };
    boolean late = isAboveTarget();
    String remedy =
        !info.growable()
            ? "It was created with --fixed, so replace it with a larger one."
            : late ? "Replace it with a larger one." : "Raise its capacity.";
    add(Level.WARNING, title, held + then + remedy, info.growable() && !late ? grow() : replace());
  }

  private void capacityOfBucket(boolean full) {
    boolean grows = info.onFull() == OnFull.GROW;
    boolean overfull = info.keysSet() > info.fullAt();
    String then =
        switch (info.onFull()) {
          case GROW ->
              overfull
                  ? "It could not grow automatically, and its false positive rate rises with each"
                      + " key."
                  : "It grows automatically if an account that adds keys can create tables. You do"
                      + " not need to do anything.";
          case REFUSE -> "Beyond that, new keys are rejected until the next bucket begins.";
          case DEGRADE ->
              "Beyond that, its false positive rate rises with each key until the next bucket"
                  + " begins.";
        };
    add(
        grows && !overfull ? Level.NOTE : Level.WARNING,
        full ? "The current bucket is full" : "The current bucket is nearly full",
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
    boolean full = info.keysRemoved() >= info.removableKeys() && info.onFull() != OnFull.GROW;
    add(
        Level.WARNING,
        full ? "No more keys can be removed" : "Removed keys take up most of the room",
        Notation.count(info.keysRemoved())
            + " of "
            + Notation.count(info.removableKeys(), "key")
            + " have been removed. Their bits stay set until the filter is rebuilt. "
            + (info.retainHashes()
                ? "A program that has it open rebuilds it automatically if it can create and drop"
                    + " tables."
                : "To rebuild it, you need a source with its keys."),
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
          "The set bits account for fewer keys than were added",
          "Their number matches about "
              + Notation.count(Math.round(info.estimatedKeys()))
              + " of "
              + Notation.count(info.keysSet(), "key")
              + ", and chance does not explain the difference. Either bits were lost, or the filter"
              + " was replaced with --force from a source with fewer keys. If in doubt, check keys"
              + " that were added.",
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
        "Journal entries are waiting to be folded",
        (info.backlog() == 1
                ? "The bits of one journal entry are"
                : "The bits of " + Notation.count(info.backlog()) + " journal entries are")
            + " not in the slot tables yet. The bits, the fill and the map on this page lack them,"
            + " but lookups do not. A program that has the filter open folds them in the background"
            + (large
                ? ", and none seems to keep up. Beyond "
                    + Notation.count(limit)
                    + " entries, adds must wait"
                : "")
            + ". The oldest has been waiting for "
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
          "A generation with a capacity of "
              + Notation.count(info.replacementCapacity().orElseThrow(), "key")
              + " is being filled and will replace the others. Until then, capacity and curve"
              + " describe the active generations.",
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
          "A lookup of a key that is not a member checks all of them, and each takes more bits per"
              + " key than the one before. One large generation is cheaper.",
          replace());
    }
  }

  private void expired() {
    long count = info.generations().stream().filter(g -> g.state() == State.EXPIRED).count();
    if (count > 0) {
      add(
          Level.NOTE,
          "The keys of " + Notation.count(count, "generation") + " expired",
          "Lookups ignore them. Their tables are dropped once keys are added again by a program"
              + " that can drop tables.");
    }
  }
}
