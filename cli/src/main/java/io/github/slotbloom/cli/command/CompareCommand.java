package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.cli.text.Figures;
import io.github.slotbloom.cli.text.Json;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Similarity;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "compare",
    description = {
      "Estimate from the set bits how many keys two filters have in common.",
      "Both must have the same parameters."
    })
public final class CompareCommand extends FilterCommand {

  @Parameters(index = "1", paramLabel = "OTHER", description = "Name of the other filter.")
  private String other = "";

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  void prepare() {
    FilterName unused = new FilterName(other);
  }

  @Override
  int run(Session session, Output output) {
    Similarity similarity =
        session.withTables(() -> session.bloom().admin(name()).similarityTo(other));
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("first", name());
    figures.put("second", other);
    figures.put("firstKeys", Math.round(similarity.first()));
    figures.put("secondKeys", Math.round(similarity.second()));
    figures.put("union", Math.round(similarity.union()));
    figures.put("intersection", Math.round(similarity.intersection()));
    figures.put("jaccard", similarity.jaccard());
    figures.put("saturated", similarity.saturated());
    if (json) {
      output.println(Json.of(figures));
    } else {
      Figures.print(output, figures);
    }
    return ExitCode.DONE;
  }
}
