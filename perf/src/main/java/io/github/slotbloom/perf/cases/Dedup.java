package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.Scale;
import io.github.slotbloom.perf.measure.Better;
import io.github.slotbloom.perf.measure.Contest;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.report.CaseReport;
import io.github.slotbloom.perf.server.DatabaseAccount;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Measures the command line on a file, half of whose lines are duplicates, from the start to the
 * end of the process.
 */
public final class Dedup implements Measurement {

  private static final String SORT = "`sort -u`";
  private static final String AGAIN = "slotbloom dedup again, embedded database";
  private static final String NOT_SYNCED = "none: a file that is not synced";

  /** The default of the command line: one line in a million is lost. */
  private static final double FALSE_POSITIVE_RATE = 1e-6;

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    Scale scale = bench.scale();
    int lines = scale.dedupLines();
    Path file = bench.files().resolve("lines");
    long[] distinct = write(file, lines);
    DatabaseAccount account = bench.database().emptySchema("perf_dedup");
    String program = bench.plan().root().resolve("slotbloom").toString();
    Map<String, String> inDatabase =
        Map.of(
            "SLOTBLOOM_URL", account.url(),
            "SLOTBLOOM_USER", account.user(),
            "SLOTBLOOM_PASSWORD", account.password());
    Path home = bench.files().resolve("home");
    Map<String, String> embedded = Map.of("SLOTBLOOM_HOME", home.toString());
    makeClassArchive(program, inDatabase, file);
    Contest contest =
        new Contest(
            String.format(Locale.ROOT, "%,d lines, half of them duplicates", lines),
            "s",
            Better.LOWER);
    contest.enter(
        "slotbloom dedup, server given",
        bench.database().durability(),
        round ->
            time(
                report,
                file,
                distinct,
                FALSE_POSITIVE_RATE,
                inDatabase,
                dedup(program, "lines_" + round, lines, file)));
    contest.enter(
        "slotbloom dedup, embedded database",
        "each commit synced (redo and binary log)",
        round ->
            time(
                report,
                file,
                distinct,
                FALSE_POSITIVE_RATE,
                embedded,
                dedup(program, "lines_" + round, lines, file)));
    seconds(file, embedded, dedup(program, "again", lines, file));
    contest.enter(
        AGAIN,
        "nothing is written",
        round -> timeAgain(report, file, embedded, dedup(program, "again", lines, file)));
    contest.enter(
        SORT,
        NOT_SYNCED,
        round -> timeTool(report, file, distinct, "sort", "-u", "-S", "2G", file.toString()));
    contest.enter(
        "`awk '!seen[$0]++'`",
        NOT_SYNCED,
        round -> timeTool(report, file, distinct, "awk", "!seen[$0]++", file.toString()));
    contest.goal(SORT, 1, "as fast").goal(AGAIN, SORT, 3, "3 times as fast");
    report.add(contest.run(scale.warmUps(), scale.rounds()));
    bench.database().dropSchema("perf_dedup");
    report.note(
        "Each run starts a process and a filter of its own, except for the one that reads the same"
            + " lines again, and ends with the process. The launcher"
            + " is built, and the embedded database was made in a round before those that count."
            + " `sort` has memory for the whole file.");
  }

  /** Runs commands that write the archive of classes and put it in place, as daily use does. */
  private static void makeClassArchive(String program, Map<String, String> environment, Path file)
      throws IOException, InterruptedException {
    seconds(file, environment, List.of(program, "reserve", "archive", "--capacity", "1000"));
    seconds(file, environment, List.of(program, "list"));
  }

  private static List<String> dedup(String program, String filter, int lines, Path file) {
    return List.of(
        program,
        "dedup",
        "--capacity",
        Integer.toString(lines / 2 + lines / 8),
        filter,
        file.toString());
  }

  /** Writes each key twice, in random order. {@return the sorted sums of the keys} */
  private static long[] write(Path file, int lines) throws IOException {
    int[] numbers = new int[lines];
    Arrays.setAll(numbers, i -> i / 2);
    SplittableRandom random = new SplittableRandom(1);
    for (int i = lines - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      int swapped = numbers[i];
      numbers[i] = numbers[other];
      numbers[other] = swapped;
    }
    try (BufferedWriter out = Files.newBufferedWriter(file, StandardCharsets.US_ASCII)) {
      for (int number : numbers) {
        out.write(Keys.text(number));
        out.write('\n');
      }
    }
    long[] distinct = new long[(lines + 1) / 2];
    Arrays.setAll(distinct, Keys::scrambled);
    Arrays.sort(distinct);
    return distinct;
  }

  /** Times a run on lines that were all seen before. */
  private static double timeAgain(
      CaseReport report, Path file, Map<String, String> environment, List<String> command)
      throws IOException, InterruptedException {
    double seconds = seconds(file, environment, command);
    report.checks().expect(Files.size(output(file)) == 0, "%s printed lines again", command.get(0));
    return seconds;
  }

  /** Times a tool that loses no line, on lines as bytes. */
  private static double timeTool(CaseReport report, Path file, long[] distinct, String... command)
      throws IOException, InterruptedException {
    return time(report, file, distinct, 0, Map.of("LC_ALL", "C"), List.of(command));
  }

  private static double time(
      CaseReport report,
      Path file,
      long[] distinct,
      double falsePositiveRate,
      Map<String, String> environment,
      List<String> command)
      throws IOException, InterruptedException {
    double seconds = seconds(file, environment, command);
    requireEachOnce(report, command.get(0), output(file), distinct, falsePositiveRate);
    return seconds;
  }

  private static Path output(Path file) {
    return file.resolveSibling("out");
  }

  /** {@return how long a command takes, which must succeed; its output goes beside the file} */
  private static double seconds(Path file, Map<String, String> environment, List<String> command)
      throws IOException, InterruptedException {
    Path errors = file.resolveSibling("errors");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectOutput(output(file).toFile())
            .redirectError(Redirect.to(errors.toFile()));
    builder.environment().putAll(environment);
    long begun = System.nanoTime();
    int exitCode = builder.start().waitFor();
    double seconds = (System.nanoTime() - begun) / 1e9;
    if (exitCode != 0) {
      throw new IllegalStateException(
          command + " ended with " + exitCode + ": " + Files.readString(errors));
    }
    return seconds;
  }

  private static void requireEachOnce(
      CaseReport report, String who, Path out, long[] distinct, double falsePositiveRate)
      throws IOException {
    long[] printed = new long[distinct.length + 1];
    int count = 0;
    try (BufferedReader lines = Files.newBufferedReader(out, StandardCharsets.US_ASCII)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (count < printed.length) {
          printed[count] = Long.parseUnsignedLong(line.substring("key-".length()), 16);
        }
        count++;
      }
    }
    report.checks().newKeys(who, distinct.length, count, falsePositiveRate);
    Arrays.sort(printed, 0, Math.min(count, printed.length));
    int strange = 0;
    int twice = 0;
    for (int i = 0; i < Math.min(count, printed.length); i++) {
      strange += Arrays.binarySearch(distinct, printed[i]) < 0 ? 1 : 0;
      twice += i > 0 && printed[i] == printed[i - 1] ? 1 : 0;
    }
    report
        .checks()
        .expect(
            strange == 0 && twice == 0,
            "%s printed %,d lines twice, and %,d that were not there",
            who,
            twice,
            strange);
  }
}
