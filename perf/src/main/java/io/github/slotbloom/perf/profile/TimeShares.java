package io.github.slotbloom.perf.profile;

import io.github.slotbloom.perf.report.Figures;
import io.github.slotbloom.perf.report.Table;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Adds up the seconds of all threads by where they were spent. Time in a method of the JDK belongs
 * to who called it.
 */
public final class TimeShares {

  static final String WAITING = "waiting for the server";
  static final String SENDING = "sending to the server";
  static final String DRIVER = "driver";
  static final String JOOQ = "jOOQ";
  static final String POOL = "connection pool";
  static final String MEASURING = "measuring: keys are created";
  static final String GC = "GC, pauses";
  static final String OTHER = "other";

  private static final String OURS = "io.github.slotbloom.";
  private static final String INTERNAL = "internal.";
  private static final String FOLDING = OURS + INTERNAL + "fold.";
  private static final int MOST_FRAMES = 20;

  /** Whose code a class is, by the beginning of its name; the first that fits. */
  private static final Map<String, String> OWNERS = new LinkedHashMap<>();

  static {
    OWNERS.put("com.mysql.", DRIVER);
    OWNERS.put("org.jooq.", JOOQ);
    OWNERS.put("com.zaxxer.", POOL);
    OWNERS.put(OURS + "perf.", MEASURING);
  }

  private static final class Sum {
    private double seconds;
    private double folding;

    private void add(double some, boolean isFolding) {
      seconds += some;
      folding += isFolding ? some : 0;
    }
  }

  private final Map<String, Sum> places = new LinkedHashMap<>();
  private final Map<String, Sum> frames = new LinkedHashMap<>();
  private final Sum all = new Sum();

  /**
   * Adds time on a core.
   *
   * @param stack names of classes and methods with a dot between, the innermost first
   */
  public void running(List<String> stack, double seconds) {
    String owner = owner(stack);
    add(places, owner, stack, seconds);
    if (!stack.isEmpty()) {
      add(frames, stack.get(0) + " (" + owner + ")", stack, seconds);
    }
  }

  /** Adds time in which a thread read from a socket. */
  public void waiting(List<String> stack, double seconds) {
    add(places, WAITING, stack, seconds);
  }

  /** Adds time in which a thread wrote to a socket. */
  public void sending(List<String> stack, double seconds) {
    add(places, SENDING, stack, seconds);
  }

  /** Adds a pause for all threads. */
  public void pausing(double seconds) {
    add(places, GC, List.of(), seconds);
  }

  private void add(Map<String, Sum> sums, String name, List<String> stack, double seconds) {
    boolean isFolding = stack.stream().anyMatch(frame -> frame.startsWith(FOLDING));
    sums.computeIfAbsent(name, any -> new Sum()).add(seconds, isFolding);
    if (sums == places) {
      all.add(seconds, isFolding);
    }
  }

  /** Returns whose code runs: the innermost frame that is not the JDK's decides. */
  static String owner(List<String> stack) {
    for (String frame : stack) {
      for (Map.Entry<String, String> one : OWNERS.entrySet()) {
        if (frame.startsWith(one.getKey())) {
          return one.getValue();
        }
      }
      if (frame.startsWith(OURS)) {
        return ownPackage(frame.substring(OURS.length()));
      }
    }
    return OTHER;
  }

  /** Returns the first part of the package below internal, or the package. */
  private static String ownPackage(String frame) {
    boolean isInternal = frame.startsWith(INTERNAL);
    String name = isInternal ? frame.substring(INTERNAL.length()) : frame;
    String first = name.substring(0, name.indexOf('.'));
    if (Character.isUpperCase(first.charAt(0))) {
      return "ours: the root package";
    }
    return "ours: " + first;
  }

  double seconds(String place) {
    Sum sum = places.get(place);
    return sum == null ? 0 : sum.seconds;
  }

  /** Returns the place's part of the time of all threads. */
  double share(String place) {
    return all.seconds == 0 ? 0 : seconds(place) / all.seconds;
  }

  public List<Table> tables() {
    return List.of(
        table("Where the time of all threads goes", places, Integer.MAX_VALUE),
        table("Methods on a core", frames, MOST_FRAMES));
  }

  private Table table(String title, Map<String, Sum> sums, int most) {
    List<List<String>> rows = new ArrayList<>();
    sums.entrySet().stream()
        .sorted(
            Comparator.comparingDouble((Map.Entry<String, Sum> one) -> one.getValue().seconds)
                .reversed())
        .limit(most)
        .forEach(one -> rows.add(row(one.getKey(), one.getValue())));
    if (sums == places) {
      rows.add(row("all", all));
    }
    return new Table(title, List.of("", "seconds", "share", "of it folding, seconds"), rows);
  }

  private List<String> row(String name, Sum sum) {
    return List.of(
        name,
        Figures.of(sum.seconds),
        String.format(
            Locale.ROOT, "%.1f %%", all.seconds == 0 ? 0 : 100 * sum.seconds / all.seconds),
        Figures.of(sum.folding));
  }
}
