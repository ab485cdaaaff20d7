package io.github.slotbloom.perf;

import io.github.slotbloom.perf.cases.Cases;
import io.github.slotbloom.perf.cases.Profiled;
import io.github.slotbloom.perf.report.CaseReport;
import io.github.slotbloom.perf.report.JsonReport;
import io.github.slotbloom.perf.report.Machine;
import io.github.slotbloom.perf.report.MarkdownReport;
import io.github.slotbloom.perf.report.Plots;
import io.github.slotbloom.perf.report.RunReport;
import io.github.slotbloom.perf.report.Versions;
import io.github.slotbloom.perf.server.DatabaseKind;
import io.github.slotbloom.perf.server.RedisAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs the cases one after the other and writes their results. */
@Command(
    name = "perf/run",
    mixinStandardHelpOptions = true,
    description = "Measures Slotbloom beside its alternatives, and checks the answers of all.",
    footer = "Exit code 1: an answer was wrong, or a case did not end.")
public final class Main implements Callable<Integer> {

  private static final double QUICK_SUSTAINED_MINUTES = 0.1;
  private static final double SUSTAINED_MINUTES = 10;

  @Spec private CommandLine.Model.CommandSpec spec;

  @Option(
      names = "--quick",
      description = "Less of everything, and not all cases: under seven minutes.")
  private boolean quick;

  @Option(
      names = "--database",
      paramLabel = "KIND",
      description = "mysql in Docker, or mariadb, embedded. Default: mysql where Docker answers.")
  private DatabaseKind database;

  @Option(
      names = "--redis",
      paramLabel = "HOST:PORT",
      description =
          "A Redis server with BF.*, started with --appendonly yes --appendfsync always. Without"
              + " it RedisBloom is left out.")
  private String redis;

  @Option(
      names = "--only",
      paramLabel = "CASE",
      split = ",",
      description = "Only these cases, see --list.")
  private List<String> only = new ArrayList<>();

  @Option(names = "--list", description = "Print the cases, and end.")
  private boolean list;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Where the results go. Default: perf/results/ and the date.")
  private Path out;

  @Option(
      names = "--sustained-minutes",
      paramLabel = "N",
      description = "How long each side of the sustained case adds. Default: 10, or 0.1 if quick.")
  private Double sustainedMinutes;

  @Option(
      names = "--profile",
      paramLabel = "CASE",
      description =
          "Instead of measuring, tell where the time goes in our side of a case of adding. With"
              + " --out, the recording is kept there as profile.jfr.")
  private String profile;

  @Option(
      names = "--profile-seconds",
      paramLabel = "N",
      defaultValue = "10",
      description = "How long the profile takes. Default: ${DEFAULT-VALUE}.")
  private int profileSeconds;

  public static void main(String[] args) {
    System.exit(
        new CommandLine(new Main()).setCaseInsensitiveEnumValuesAllowed(true).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    if (list) {
      Cases.all().forEach(one -> System.out.printf("%-16s %s%n", one.id(), one.title()));
      return 0;
    }
    if (profile != null) {
      return profile();
    }
    List<PerfCase> cases = cases();
    Plan plan = plan();
    Files.createDirectories(plan.out());
    RunReport run = new RunReport();
    try (Bench bench = new Bench(plan)) {
      describe(run, bench);
      for (PerfCase one : cases) {
        run.add(measure(one, bench));
        // Written after each case, so that an interrupted run keeps its results.
        JsonReport.write(run, plan.out().resolve("results.json"));
        MarkdownReport.write(run, plan.out().resolve("results.md"));
        Plots.write(run, plan.out());
      }
    }
    System.out.print(MarkdownReport.goalsOf(run));
    System.out.println("Written to " + plan.out());
    return run.isRight() ? 0 : 1;
  }

  private int profile() throws Exception {
    PerfCase profiled =
        Cases.all().stream()
            .filter(one -> one.id().equals(profile) && one.measurement() instanceof Profiled)
            .findFirst()
            .orElseThrow(
                () ->
                    new ParameterException(
                        spec.commandLine(),
                        "There is no profile of '" + profile + "', but of " + profiledCases()));
    CaseReport report = new CaseReport(profiled.id(), "Profile of " + profiled.title());
    try (Bench bench = new Bench(plan())) {
      if (out != null) {
        Files.createDirectories(out);
      }
      Path recording = (out != null ? out : bench.files()).resolve("profile.jfr");
      long begun = System.nanoTime();
      ((Profiled) profiled.measurement())
          .loop()
          .profile(bench, Duration.ofSeconds(profileSeconds), recording, report);
      report.took((System.nanoTime() - begun) / 1e9);
    }
    System.out.print(MarkdownReport.sectionOf(report));
    return report.isRight() ? 0 : 1;
  }

  private static String profiledCases() {
    return Cases.all().stream()
        .filter(one -> one.measurement() instanceof Profiled)
        .map(PerfCase::id)
        .collect(Collectors.joining(", "));
  }

  private List<PerfCase> cases() {
    for (String id : only) {
      if (Cases.all().stream().noneMatch(one -> one.id().equals(id))) {
        throw new ParameterException(
            spec.commandLine(), "There is no case '" + id + "'; --list names them.");
      }
    }
    if (only.isEmpty()) {
      return quick ? Cases.quick() : Cases.all();
    }
    return Cases.all().stream().filter(one -> only.contains(one.id())).toList();
  }

  private Plan plan() {
    Path root = Path.of(System.getProperty("perf.root", "."));
    Optional<RedisAddress> redisBloom = Optional.ofNullable(redis).map(RedisAddress::parse);
    redisBloom.ifPresent(RedisAddress::requireDurable);
    double minutes =
        sustainedMinutes != null
            ? sustainedMinutes
            : quick ? QUICK_SUSTAINED_MINUTES : SUSTAINED_MINUTES;
    return new Plan(
        root,
        quick ? Scale.QUICK : Scale.FULL,
        database != null ? database : DatabaseKind.ofThisMachine(),
        redisBloom,
        Duration.ofMillis(Math.round(minutes * 60_000)),
        out != null ? out : root.resolve("perf/results/" + LocalDate.now(ZoneOffset.UTC)));
  }

  private static void describe(RunReport run, Bench bench) throws Exception {
    run.circumstance("startedAt", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    run.circumstance("scale", bench.scale().name());
    run.circumstance("commit", Versions.commit(bench.plan().root()));
    run.circumstance("machine", Machine.describe());
    run.circumstance("database", bench.database().settings());
    run.circumstance(
        "redis", bench.redis().map(RedisAddress::version).orElse("none installed: no Redisson"));
    run.circumstance(
        "redisBloom",
        bench
            .redisBloom()
            .map(server -> server.bloomVersion() + " in Redis " + server.version())
            .orElse("none given: no RedisBloom"));
    run.circumstance("libraries", Versions.ofLibraries());
  }

  private static CaseReport measure(PerfCase one, Bench bench) {
    bench.say(one.id() + " ...");
    CaseReport report = new CaseReport(one.id(), one.title());
    long begun = System.nanoTime();
    try {
      one.measurement().run(bench, report);
    } catch (Exception e) {
      report.failed(e);
      e.printStackTrace();
    }
    report.took((System.nanoTime() - begun) / 1e9);
    report.checks().failures().forEach(failure -> bench.say("  wrong: " + failure));
    bench.say(String.format(Locale.ROOT, "  %.1f s", report.seconds()));
    return report;
  }
}
