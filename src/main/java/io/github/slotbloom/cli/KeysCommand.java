package io.github.slotbloom.cli;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Parameters;

/** What the commands share that answer each key with yes or no. */
abstract class KeysCommand extends FilterCommand {

  @Parameters(
      index = "1..*",
      paramLabel = "KEY",
      description =
          "Keys. Without any, each line of standard input is one, and an empty line the empty key.")
  private List<String> keys = new ArrayList<>();

  abstract boolean[] ask(BloomFilter<byte[]> filter, List<byte[]> keys);

  @Override
  final int run(Session session, Output output) throws InterruptedException {
    if (keys.isEmpty()) {
      answerLines(session, output);
    } else {
      answerArguments(session, output);
    }
    return ExitCode.DONE;
  }

  private void answerArguments(Session session, Output output) {
    List<byte[]> asked = Keys.ofArguments(keys);
    // A few slots are read faster than a whole filter.
    try (BloomFilter<byte[]> filter = open(session, FilterOptions.defaults().withoutMirror())) {
      boolean[] answers = ask(filter, asked);
      for (int i = 0; i < answers.length; i++) {
        print(output, asked.get(i), answers[i]);
      }
    }
  }

  private void answerLines(Session session, Output output) throws InterruptedException {
    if (Inputs.STANDARD_INPUT.readsTerminal()) {
      Messages.notice("Reading keys from the terminal, one a line; Ctrl-D ends them.");
    }
    try (BloomFilter<byte[]> filter = open(session, FilterOptions.defaults())) {
      LinePipeline pipeline =
          new LinePipeline(
              Inputs.STANDARD_INPUT,
              KeyField.WHOLE_LINE,
              lines -> ask(filter, lines),
              (line, answer) -> print(output, line.bytes(), answer == Answer.YES),
              output);
      termination().stopWith(pipeline::stop);
      pipeline.run();
    }
  }

  private BloomFilter<byte[]> open(Session session, FilterOptions options) {
    return session.withTables(() -> session.bloom().open(name(), Keys.TYPE, options));
  }

  private static void print(Output output, byte[] key, boolean yes) {
    output.write((yes ? "1\t" : "0\t").getBytes(StandardCharsets.US_ASCII));
    output.write(key);
    output.write('\n');
  }
}
