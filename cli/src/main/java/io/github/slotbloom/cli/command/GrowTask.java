package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.UsageException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A task of {@code grow} other than adding a generation. A command line names at most one. */
final class GrowTask {

  private static final String STATUS = "--status";
  private static final String ABORT = "--abort";
  private static final String CAPACITY = "--capacity";

  /** The options that each task takes. */
  private static final Map<String, Set<String>> COMPANIONS =
      Map.of(
          "--from",
          replacing("--key-type", "--key-field", "--delimiter", "--null"),
          "--query",
          replacing(
              "--key-type",
              "--source-url",
              "--source-user",
              "--source-password",
              "--source-password-file"),
          "--from-journal",
          replacing(),
          STATUS,
          Set.of("--json"),
          ABORT,
          Set.of());

  private static final Set<String> OF_NONE = Set.of(CAPACITY, "--dry-run");

  @Option(
      names = "--from",
      paramLabel = "FILE",
      description =
          "Replace the filter with one that has a capacity of N keys from the start. FILE must"
              + " contain all keys that were added, one per line. It is read at least twice.")
  @Nullable String file;

  @Option(
      names = "--query",
      paramLabel = "SQL",
      description =
          "Like --from, but the keys are the first column of this query. With an ORDER BY, an"
              + " interrupted replacement can continue where it stopped.")
  @Nullable String query;

  @Option(
      names = "--from-journal",
      description =
          "Replace the filter with the hashes that the database retained, for a filter created with"
              + " --retain-hashes.")
  boolean journal;

  @Option(names = STATUS, description = "Print the progress of a replacement.")
  boolean status;

  @Option(
      names = ABORT,
      description =
          "Abort a replacement and leave the filter as it was. Also drop tables that a replacement"
              + " left behind.")
  boolean abort;

  private static Set<String> replacing(String... optionsOfSource) {
    return Stream.concat(
            Stream.of(CAPACITY, "--dry-run", "--rate", "--force"), Stream.of(optionsOfSource))
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Fails if the given options do not go together.
   *
   * @param given the longest names of the given options
   */
  static void requireSense(Set<String> given) {
    String task = COMPANIONS.keySet().stream().filter(given::contains).findFirst().orElse(null);
    Set<String> allowed = task == null ? OF_NONE : COMPANIONS.getOrDefault(task, OF_NONE);
    for (String option : new TreeSet<>(given)) {
      if (!option.equals(task) && !allowed.contains(option)) {
        throw new UsageException(
            task == null
                ? option + " goes with " + String.join(" or ", tasksWith(option)) + " alone."
                : option + " does not go with " + task + ".");
      }
    }
    if (allowed.contains(CAPACITY) && !given.contains(CAPACITY)) {
      throw new UsageException(
          CAPACITY
              + " is missing: add the new capacity of the filter in keys, including those it has.");
    }
  }

  private static List<String> tasksWith(String option) {
    return COMPANIONS.entrySet().stream()
        .filter(task -> task.getValue().contains(option))
        .map(Map.Entry::getKey)
        .sorted()
        .toList();
  }
}
