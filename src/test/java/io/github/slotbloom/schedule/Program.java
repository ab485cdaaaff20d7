package io.github.slotbloom.schedule;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * What each process of a run does, one call after the other.
 *
 * @param filter what is called
 * @param mirrored whether the processes have a mirror of it
 * @param processes the calls of each
 */
record Program(CleanFilter.Kind filter, boolean mirrored, List<List<Call>> processes) {

  /** What a process calls. */
  enum Kind {
    ADD,
    /** Adds the key and the next one in one transaction. */
    ADD_EACH,
    ADD_WITHIN,
    ADD_ROLLED_BACK,
    REMOVE,
    ASK,
    CLEAR,
    FOLD,
    GROW,
    REPLACE,
    ABORT,
    /** Time passes, and the background of this process does what is due. */
    TICK,
    /** Two minutes pass, so that the journal is trimmed, and what may be forgotten goes. */
    TRIM,
    /**
     * The same, and this process waits until it has done that, and dropped what tables are left.
     */
    SWEEP,
    /** The same after three hours, so that what is folded leaves the journal. */
    LATER,
    /** Adds the key to a window as that of an event that came up when the run began. */
    OFFER,
    /** A bucket of the window passes. */
    BUCKET,
    /** Opens the filter again, with a mirror that is loaded; later calls go to that. */
    OPEN,
    /** Makes another filter, unless somebody did. */
    RESERVE,
    /** Makes that other filter from the export of one that has the key of the source. */
    IMPORT,
    /** Takes in the keys of the source. */
    MERGE,
    /** Gives the filter its other name. */
    RENAME,
    DROP,
    /** Lets the filter expire at once. */
    EXPIRE
  }

  /** One call, and its key where it has one. */
  record Call(Kind kind, long key) {
    @Override
    public String toString() {
      return key == 0 ? kind.toString() : kind + " " + key;
    }
  }

  static Call call(Kind kind) {
    return new Call(kind, 0);
  }

  static Call call(Kind kind, long key) {
    return new Call(kind, key);
  }

  private static final List<Kind> OF_KEYS =
      List.of(
          Kind.ADD,
          Kind.ADD,
          Kind.ADD,
          Kind.ASK,
          Kind.ASK,
          Kind.ADD_EACH,
          Kind.ADD_WITHIN,
          Kind.ADD_ROLLED_BACK);

  private static final List<Kind> OF_FILTERS =
      List.of(
          Kind.FOLD,
          Kind.FOLD,
          Kind.TICK,
          Kind.TICK,
          Kind.GROW,
          Kind.CLEAR,
          Kind.REPLACE,
          Kind.ABORT,
          Kind.OPEN,
          Kind.TRIM,
          Kind.SWEEP,
          Kind.MERGE);

  private static final List<Kind> OF_WINDOWS =
      List.of(Kind.FOLD, Kind.TICK, Kind.SWEEP, Kind.OPEN, Kind.BUCKET, Kind.BUCKET, Kind.BUCKET);

  private static final List<Kind> OF_NAMES =
      List.of(Kind.RENAME, Kind.DROP, Kind.EXPIRE, Kind.RESERVE, Kind.IMPORT);

  private static final int MOST_KEYS = 2;

  /** So that what is done with the filter comes together in many orders. */
  private static final int MOST_KINDS = 2;

  /**
   * Returns a program of two processes or three, in which the same few keys come up, and few things
   * are done with the filter.
   */
  static Program random(RandomGenerator random) {
    CleanFilter.Kind filter =
        random.nextInt(5) == 0
            ? CleanFilter.Kind.WINDOW
            : random.nextBoolean() ? CleanFilter.Kind.REMOVABLE : CleanFilter.Kind.LASTING;
    List<Kind> kinds = new ArrayList<>();
    List<Kind> all = filter == CleanFilter.Kind.WINDOW ? OF_WINDOWS : OF_FILTERS;
    while (kinds.size() < MOST_KINDS) {
      List<Kind> from = random.nextInt(12) == 0 ? OF_NAMES : all;
      kinds.add(from.get(random.nextInt(from.size())));
    }
    List<List<Call>> processes = new ArrayList<>();
    int count = random.nextInt(4) == 0 ? 3 : 2;
    for (int process = 0; process < count; process++) {
      List<Call> calls = new ArrayList<>();
      int length = 1 + random.nextInt(count == 3 ? 2 : 4);
      while (calls.size() < length) {
        calls.add(randomCall(random, filter, kinds));
      }
      processes.add(calls);
    }
    return new Program(filter, random.nextBoolean(), processes);
  }

  private static Call randomCall(
      RandomGenerator random, CleanFilter.Kind filter, List<Kind> kinds) {
    if (random.nextInt(3) == 0) {
      return call(kinds.get(random.nextInt(kinds.size())));
    }
    boolean window = filter == CleanFilter.Kind.WINDOW;
    Kind kind = OF_KEYS.get(random.nextInt(OF_KEYS.size()));
    if (filter != CleanFilter.Kind.LASTING && random.nextInt(3) == 0) {
      kind = window ? Kind.OFFER : Kind.REMOVE;
    }
    if (kind == Kind.ASK && random.nextInt(5) == 0) {
      return call(kind, CleanFilter.KEY_OF_SOURCE);
    }
    return call(kind, 1 + random.nextInt(MOST_KEYS));
  }

  boolean calls(Kind kind) {
    return processes.stream().flatMap(List::stream).anyMatch(call -> call.kind() == kind);
  }

  /** Returns the program whose processes begin the other way round. */
  Program turned() {
    List<List<Call>> other = new ArrayList<>(processes);
    Collections.reverse(other);
    return new Program(filter, mirrored, other);
  }

  /** Returns the programs that lack one of the calls. */
  List<Program> shorter() {
    List<Program> shorter = new ArrayList<>();
    for (int process = 0; process < processes.size(); process++) {
      for (int i = 0; i < processes.get(process).size(); i++) {
        List<List<Call>> less = new ArrayList<>(processes);
        List<Call> calls = new ArrayList<>(processes.get(process));
        calls.remove(i);
        less.set(process, calls);
        shorter.add(new Program(filter, mirrored, less));
      }
    }
    return shorter;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(filter);
    text.append(mirrored ? ", with mirrors\n" : ", without mirrors\n");
    for (int process = 0; process < processes.size(); process++) {
      text.append("  process ").append(process).append(": ");
      text.append(
          processes.get(process).stream().map(Call::toString).collect(Collectors.joining(", ")));
      text.append('\n');
    }
    return text.toString();
  }
}
