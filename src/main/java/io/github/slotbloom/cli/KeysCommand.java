package io.github.slotbloom.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What the commands share that answer each key with yes or no. */
abstract class KeysCommand extends FilterCommand {

  @Parameters(
      index = "1..*",
      paramLabel = "KEY",
      description =
          "Keys. Without any, or for a single -, each line of standard input is one, and an empty"
              + " line the empty key. After -- everything is a key.")
  private List<String> arguments = new ArrayList<>();

  @Mixin private final KeyOptions keyOptions = new KeyOptions();
  @Mixin private final Separator separator = new Separator();

  @SuppressWarnings("NullAway.Init") // picocli sets it before it calls.
  @Spec
  private CommandSpec spec;

  abstract <K> boolean[] ask(BloomFilter<K> filter, List<K> keys);

  /** What the filter is opened with. */
  abstract FilterOptions options(FilterOptions defaults);

  /** What the shell is told. */
  abstract int exitCode(boolean arguments, boolean allYes);

  /** Fails early if there are keys among the arguments that are none. */
  @Override
  final void prepare() {
    if (!readsLines()) {
      List<?> unused = parsed(KeyArguments.bytes(arguments), keyOptions.format());
    }
  }

  @Override
  final int run(Session session, Output output) throws InterruptedException {
    return run(session, keyOptions.format(), output);
  }

  private <K> int run(Session session, KeyFormat<K> format, Output output)
      throws InterruptedException {
    List<byte[]> written = KeyArguments.bytes(arguments);
    List<K> keys = readsLines() ? List.of() : parsed(written, format);
    try (ThriftyFilter<K> filter =
        new ThriftyFilter<>(
            options(session.options()),
            options -> KeyOptions.open(session, name(), format, options))) {
      return readsLines()
          ? exitCode(false, answerLines(filter, format, output))
          : exitCode(true, answerArguments(filter, keys, written, output));
    }
  }

  private boolean readsLines() {
    boolean literal = spec.commandLine().getParseResult().originalArgs().contains("--");
    return arguments.isEmpty() || (!literal && arguments.equals(List.of("-")));
  }

  private static <K> List<K> parsed(List<byte[]> written, KeyFormat<K> format) {
    List<K> keys = new ArrayList<>();
    for (byte[] one : written) {
      try {
        keys.add(format.parse(one));
      } catch (BadKeyException e) {
        throw new UsageException("Of the keys that were given, " + e.getMessage() + ".", e);
      }
    }
    return keys;
  }

  private <K> boolean answerArguments(
      ThriftyFilter<K> filter, List<K> keys, List<byte[]> written, Output output) {
    boolean[] answers = ask(filter.forMore(keys.size()), keys);
    boolean allYes = true;
    for (int i = 0; i < answers.length; i++) {
      print(output, written.get(i), answers[i]);
      allYes &= answers[i];
    }
    return allYes;
  }

  private <K> boolean answerLines(ThriftyFilter<K> filter, KeyFormat<K> format, Output output)
      throws InterruptedException {
    if (Inputs.STANDARD_INPUT.readsTerminal()) {
      Messages.notice("Reading keys from the terminal, one a line; Ctrl-D ends them.");
    }
    LinePipeline pipeline =
        new LinePipeline(
            Inputs.STANDARD_INPUT,
            separator.value(),
            new LineAnswerer<>(
                KeyField.WHOLE_LINE, format, keys -> ask(filter.forMore(keys.size()), keys)),
            (line, answer) -> print(output, line.bytes(), answer == Answer.YES),
            output);
    termination().stopWith(pipeline::stop);
    pipeline.run();
    return pipeline.counts().no() == 0;
  }

  private void print(Output output, byte[] written, boolean yes) {
    output.write((yes ? "1\t" : "0\t").getBytes(US_ASCII));
    output.write(written);
    output.write(separator.value());
  }
}
