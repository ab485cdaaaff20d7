package io.github.slotbloom.cli.command;

import io.github.slotbloom.KeySource;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.UsageException;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.line.FileKeys;
import io.github.slotbloom.cli.line.KeyField;
import io.github.slotbloom.cli.line.KeyFormat;
import io.github.slotbloom.cli.line.Separator;
import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.cli.terminal.StatusLine;
import io.github.slotbloom.cli.text.Json;
import io.github.slotbloom.cli.text.VerifyText;
import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.report.VerifyReport;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "verify",
    description = {
      "Check everything that is stored about a filter while other processes use it: slots against"
          + " journal, the number of set bits, the false positive rate, and given keys.",
      "Exit code 6 means damage."
    })
public final class VerifyCommand extends FilterCommand {

  private static final String KEYS = "--keys";

  @Option(
      names = KEYS,
      paramLabel = "FILE",
      description =
          "File with keys that were added, one per line. Reports each key that the filter lacks.")
  private @Nullable String file;

  @Mixin private final KeyOptions keyOptions = new KeyOptions();
  @Mixin private final KeyFieldOptions keyFieldOptions = new KeyFieldOptions();
  @Mixin private final Separator separator = new Separator();

  @Option(
      names = "--repair",
      description =
          "Repair what needs no guess: set the missing bits of recorded keys, and delete what is"
              + " beyond the end of the bit array.")
  private boolean repair;

  @Option(names = "--json", description = "Print the report as JSON.")
  private boolean json;

  private final VerifyStatus progress = new VerifyStatus();
  private VerifyOptions options = VerifyOptions.defaults();
  private KeyField field = KeyField.WHOLE_LINE;

  @Override
  void prepare() {
    field = keyFieldOptions.field();
    if (file != null) {
      FileKeys.requireRereadable(KEYS, file, takesHyphenLiterally());
    } else {
      requireNoKeyOptions();
    }
    options = VerifyOptions.defaults().onProgress(progress);
    if (repair) {
      options = options.repairing();
    }
  }

  private void requireNoKeyOptions() {
    Set<String> given = given();
    for (String option : new String[] {"--key-type", "--key-field", "--delimiter", "--null"}) {
      if (given.contains(option)) {
        throw new UsageException(option + " describes the keys of a file; add " + KEYS + ".");
      }
    }
  }

  @Override
  int run(Session session, Output output) {
    if (file != null) {
      options = options.keys(keys(file, keyOptions.format()));
    }
    VerifyReport report = verify(session);
    VerifyText text = new VerifyText(report);
    if (json) {
      output.println(Json.of(text.figures()));
    } else {
      text.lines().forEach(output::println);
    }
    return report.sound() ? ExitCode.DONE : ExitCode.DAMAGED;
  }

  private <K> KeySource keys(String name, KeyFormat<K> format) {
    return new FileKeys<>(name, separator.value(), field, format).source();
  }

  private VerifyReport verify(Session session) {
    try (StatusLine status = new StatusLine(surroundings(), progress)) {
      status.start();
      return session.withTables(() -> session.bloom().admin(name()).verify(options));
    } catch (FilterMismatchException e) {
      throw KeyOptions.otherType(session, name(), e);
    }
  }
}
