package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.cli.text.Json;
import io.github.slotbloom.cli.text.KeyExplanationText;
import io.github.slotbloom.report.RescuedKey;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "rescues",
    description = {
      "Print the rescued keys of a block list, oldest first: the hash, when it was rescued, when"
          + " the rescue ends (- if never), by whom, and why, separated by tabs.",
      "The database stores hashes, not keys, so a reason that names the key helps. inspect --key"
          + " prints the hash of a key."
    })
public final class RescuesCommand extends FilterCommand {

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  int run(Session session, Output output) {
    List<RescuedKey> rescued =
        session.withTables(() -> session.bloom().admin(name()).rescuedKeys());
    if (json) {
      output.println(Json.of(rescued.stream().map(RescuesCommand::figures).toList()));
    } else {
      rescued.forEach(key -> output.println(line(key)));
    }
    return ExitCode.DONE;
  }

  private static Map<String, Object> figures(RescuedKey key) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("hash", KeyExplanationText.hex(key.hash()));
    figures.put("rescuedAt", key.rescuedAt().toString());
    key.until().ifPresent(until -> figures.put("rescuedUntil", until.toString()));
    figures.put("rescuedBy", key.by());
    figures.put("reason", key.reason());
    return figures;
  }

  private static String line(RescuedKey key) {
    return String.join(
        "\t",
        KeyExplanationText.hex(key.hash()),
        key.rescuedAt().toString(),
        key.until().map(Instant::toString).orElse("-"),
        inOneLine(key.by()),
        inOneLine(key.reason()));
  }

  /** Others wrote the text, and control characters in it would command the terminal. */
  private static String inOneLine(String text) {
    return text.replaceAll("[\\s\\p{Cc}\\u2028\\u2029]+", " ");
  }
}
