package io.github.slotbloom.cli.command;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.connect.JdbcUrl;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.line.FileKeys;
import io.github.slotbloom.cli.line.KeyField;
import io.github.slotbloom.cli.line.KeyFormat;
import io.github.slotbloom.cli.line.RowKeys;
import io.github.slotbloom.cli.line.Separator;
import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.cli.terminal.StatusLine;
import io.github.slotbloom.cli.text.ChoiceName;
import io.github.slotbloom.cli.text.Figures;
import io.github.slotbloom.cli.text.Json;
import io.github.slotbloom.cli.text.KeyCount;
import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.report.Replacement;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "grow",
    description = {
      "Raise the capacity of a filter while other processes use it. Its keys stay where they are;"
          + " new keys go to another slot table.",
      "With --from, --query or --from-journal it is replaced instead, by a single slot table for"
          + " all keys. If that is interrupted, the same command continues where it stopped."
    })
public final class GrowCommand extends FilterCommand {

  @Option(
      names = "--capacity",
      paramLabel = "N",
      converter = KeyCount.class,
      description = "New capacity of the filter in keys, including those it has.")
  private long capacity;

  @Option(
      names = "--dry-run",
      description =
          "Print the statement that creates the next slot table, and change nothing. After you run"
              + " it, this command needs no right to create tables.")
  private boolean dryRun;

  @ArgGroup private GrowTask task = new GrowTask();

  @Option(
      names = "--rate",
      paramLabel = "KEYS",
      converter = KeyCount.class,
      description = "Read at most this many keys per second. Default: no limit.")
  private @Nullable Long rate;

  @Option(
      names = "--force",
      description =
          "Replace the filter even if the source lacks keys that were added. The filter forgets"
              + " those keys.")
  private boolean force;

  @Mixin private final KeyOptions keyOptions = new KeyOptions();
  @Mixin private final KeyFieldOptions keyFieldOptions = new KeyFieldOptions();
  @Mixin private final Separator separator = new Separator();
  @Mixin private final SourceOptions sourceOptions = new SourceOptions();

  @Option(names = "--json", description = "Print the status as JSON.")
  private boolean json;

  private final ReplacementProgress progress = new ReplacementProgress(System::nanoTime);
  private ReplaceOptions options = ReplaceOptions.defaults();
  private KeyField field = KeyField.WHOLE_LINE;
  private @Nullable JdbcUrl sourceUrl;

  @Override
  void prepare() {
    GrowTask.requireSense(given());
    field = keyFieldOptions.field();
    if (task.file != null) {
      FileKeys.requireRereadable("--from", task.file, takesHyphenLiterally());
    }
    if (task.query != null) {
      sourceUrl = sourceOptions.url(surroundings());
    }
    options = ReplaceOptions.defaults().onProgress(progress::told);
    if (rate != null) {
      options = options.keysPerSecond(rate);
    }
    if (force) {
      options = options.forced();
    }
  }

  @Override
  int run(Session session, Output output) {
    if (task.status) {
      print(session.withTables(() -> session.bloom().admin(name()).replacement()), output);
    } else if (task.abort) {
      abort(session);
    } else if (dryRun) {
      output.println(session.withTables(() -> session.bloom().admin(name()).growSql()));
    } else if (task.file != null) {
      replace(session, fileKeys(task.file, keyOptions.format()));
    } else if (task.query != null) {
      replace(session, task.query, keyOptions.format());
    } else if (task.journal) {
      replace(session, KeySource.journal());
    } else {
      session.withTables(() -> session.bloom().admin(name()).grow(capacity));
    }
    return ExitCode.DONE;
  }

  private <K> KeySource fileKeys(String file, KeyFormat<K> format) {
    return new FileKeys<>(file, separator.value(), field, format).source();
  }

  private <K> void replace(Session session, String query, KeyFormat<K> format) {
    try (HikariDataSource source = session.source(sourceUrl)) {
      replace(session, KeySource.query(format.type(), source, query, new RowKeys<>(format)));
    }
  }

  private void replace(Session session, KeySource source) {
    long begin = System.nanoTime();
    Thread worker = Thread.currentThread();
    termination().stopWith(worker::interrupt);
    try (StatusLine status = new StatusLine(surroundings(), progress::inWords)) {
      status.start();
      session.withTables(() -> session.bloom().admin(name()).replace(capacity, source, options));
    } catch (FilterMismatchException e) {
      throw KeyOptions.otherType(session, name(), e);
    } catch (RuntimeException e) {
      if (termination().requested()) {
        tellHowToGoOn();
      }
      throw e;
    } finally {
      termination().stopWith(() -> {});
      // Clear the interrupt: the resources that are closed next may have to wait.
      boolean unused = Thread.interrupted();
    }
    messages()
        .notice(
            String.format(
                Locale.ROOT,
                "%s: replaced by one with a capacity of %,d keys, %.1f s",
                filter(),
                capacity,
                (System.nanoTime() - begin) / 1e9));
  }

  private void tellHowToGoOn() {
    Replacement reached = progress.latest();
    messages()
        .notice(
            "The replacement of filter "
                + filter()
                + " was interrupted"
                + (reached == null ? "" : " (" + ReplacementProgress.where(reached) + ")")
                + "; the filter still works. The same command continues where it stopped, and"
                + " slotbloom grow "
                + filter()
                + " --abort aborts it.");
  }

  private void abort(Session session) {
    Optional<Replacement> before =
        session.withTables(() -> session.bloom().admin(name()).replacement());
    session.bloom().admin(name()).abortReplacement();
    messages()
        .notice(
            before.isPresent()
                ? "The replacement of filter " + filter() + " was aborted."
                : "Filter " + filter() + " is not being replaced.");
  }

  private void print(Optional<Replacement> replacement, Output output) {
    Map<String, Object> figures = new LinkedHashMap<>();
    replacement.ifPresent(found -> figures.putAll(figures(found)));
    if (json) {
      output.println(Json.of(figures));
    } else if (replacement.isEmpty()) {
      output.println("Filter " + filter() + " is not being replaced.");
    } else {
      Duration age = Duration.between(replacement.get().updatedAt(), Instant.now());
      figures.computeIfPresent(
          "updatedAt", (key, at) -> at + " (" + Math.max(0, age.toSeconds()) + " s ago)");
      Figures.print(output, figures);
    }
  }

  private static Map<String, Object> figures(Replacement replacement) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("filter", replacement.filter());
    figures.put("phase", ChoiceName.of(replacement.phase()));
    figures.put("keysRead", replacement.keysRead());
    figures.put("keysBefore", replacement.keysBefore());
    figures.put("generation", replacement.generation());
    figures.put("capacity", replacement.capacity());
    figures.put("source", replacement.source());
    figures.put("begunAt", replacement.begunAt().toString());
    figures.put("updatedAt", replacement.updatedAt().toString());
    return figures;
  }
}
