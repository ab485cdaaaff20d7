package io.github.slotbloom.cli.command;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.cli.UsageException;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.line.Answer;
import io.github.slotbloom.cli.line.BadKeyException;
import io.github.slotbloom.cli.line.Delivery;
import io.github.slotbloom.cli.line.Effect;
import io.github.slotbloom.cli.line.Inputs;
import io.github.slotbloom.cli.line.KeyField;
import io.github.slotbloom.cli.line.KeyFormat;
import io.github.slotbloom.cli.line.Line;
import io.github.slotbloom.cli.line.LineAnswerer;
import io.github.slotbloom.cli.line.LinePipeline;
import io.github.slotbloom.cli.line.Separator;
import io.github.slotbloom.cli.line.ThriftyFilter;
import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.cli.terminal.OutputException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The base of all commands that answer each key with yes or no. */
abstract class KeysCommand extends FilterCommand {

  /**
   * The number of keys in one batch. It fits into a transaction and is small enough to give the
   * first answers soon.
   */
  private static final int KEYS_AT_ONCE = 4096;

  @Parameters(
      index = "1..*",
      paramLabel = "KEY",
      description =
          "Keys. Without any, or with a single -, each line of standard input is a key, and an"
              + " empty line is the empty key. Everything after -- is a key.")
  private List<String> arguments = new ArrayList<>();

  @Mixin private final KeyOptions keyOptions = new KeyOptions();
  @Mixin private final Separator separator = new Separator();

  abstract <K> boolean[] ask(BloomFilter<K> filter, List<K> keys);

  /** Returns what the command does to a key that it answers with yes. */
  abstract Effect effect();

  /** Runs after all keys are answered. It does nothing unless overridden. */
  void afterwards(Session session, BloomFilter<?> filter) {}

  /** Runs after the filter is closed. It does nothing unless overridden. */
  void atEnd(Session session, Output output) {}

  /** Returns the exit code for the shell. */
  abstract int exitCode(boolean arguments, boolean allYes);

  /**
   * Fails early if the options of the command do not go together. It does nothing unless
   * overridden.
   */
  void check() {}

  /** Fails early if an option or an argument is not valid. */
  @Override
  final void prepare() {
    check();
    if (!readsLines()) {
      for (byte[] written : KeyArguments.bytes(arguments)) {
        requireKey(written);
      }
    }
  }

  private void requireKey(byte[] written) {
    try {
      Object unused = keyOptions.format().parse(written);
    } catch (BadKeyException e) {
      throw new UsageException("Of the given keys, " + e.getMessage() + ".", e);
    }
  }

  @Override
  final boolean acknowledgesKeys() {
    return effect() != Effect.NONE;
  }

  @Override
  final int run(Session session, Output output) throws InterruptedException {
    return run(session, keyOptions.format(), output);
  }

  private <K> int run(Session session, KeyFormat<K> format, Output output)
      throws InterruptedException {
    int exitCode;
    try (ThriftyFilter<K> filter =
        new ThriftyFilter<>(
            session.options(),
            wanted ->
                inMemoryIfItFits(
                    wanted, options -> KeyOptions.open(session, name(), format, options)))) {
      boolean lines = readsLines();
      boolean allYes =
          lines ? answerLines(filter, format, output) : answerArguments(filter, format, output);
      afterwards(session, filter.forMore(0));
      exitCode = exitCode(!lines, allYes);
    }
    atEnd(session, output);
    return exitCode;
  }

  private boolean readsLines() {
    return arguments.isEmpty() || (!takesHyphenLiterally() && arguments.equals(List.of("-")));
  }

  private <K> boolean answerArguments(ThriftyFilter<K> filter, KeyFormat<K> format, Output output)
      throws InterruptedException {
    List<Line> lines = new ArrayList<>();
    for (byte[] written : KeyArguments.bytes(arguments)) {
      lines.add(new Line(written, true, "key ", lines.size() + 1));
    }
    boolean[] allYes = {true};
    LineAnswerer<K> answerer = answerer(filter, format);
    Delivery delivery = new Delivery(effect());
    try {
      for (int from = 0; from < lines.size(); from += KEYS_AT_ONCE) {
        List<Line> part = lines.subList(from, Math.min(lines.size(), from + KEYS_AT_ONCE));
        answerer.answer(
            part,
            (answered, answers) -> {
              delivery.answered(answered, answers);
              for (int i = 0; i < answers.size(); i++) {
                delivery.printing(answered.get(i), answers.get(i));
                print(output, answered.get(i), answers.get(i));
                allYes[0] &= answers.get(i) == Answer.YES;
              }
              output.flush();
              delivery.flushed();
            });
      }
    } catch (OutputException e) {
      throw delivery.explain(e);
    }
    return allYes[0];
  }

  private <K> LineAnswerer<K> answerer(ThriftyFilter<K> filter, KeyFormat<K> format) {
    return new LineAnswerer<>(
        KeyField.WHOLE_LINE, format, effect(), keys -> ask(filter.forMore(keys.size()), keys));
  }

  private <K> boolean answerLines(ThriftyFilter<K> filter, KeyFormat<K> format, Output output)
      throws InterruptedException {
    if (surroundings().terminal().isInput()) {
      messages().notice("Reading keys from the terminal, one per line; Ctrl-D ends the input.");
    }
    LinePipeline pipeline =
        new LinePipeline(
            Inputs.STANDARD_INPUT,
            surroundings().input(),
            separator.value(),
            answerer(filter, format),
            (line, answer) -> print(output, line, answer),
            output);
    termination().stopWith(pipeline::stop);
    pipeline.run();
    pipeline.counts().hint().ifPresent(messages()::notice);
    return pipeline.counts().no() == 0;
  }

  private void print(Output output, Line line, Answer answer) {
    output.write((answer == Answer.YES ? "1\t" : "0\t").getBytes(US_ASCII));
    output.write(line.bytes());
    output.write(separator.value());
  }
}
