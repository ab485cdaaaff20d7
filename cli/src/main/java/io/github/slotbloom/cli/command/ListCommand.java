package io.github.slotbloom.cli.command;

import io.github.slotbloom.FilterStatus;
import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.UsageException;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.cli.text.Json;
import io.github.slotbloom.cli.text.WindowText;
import io.github.slotbloom.core.Window;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "list", description = "Print the names of all filters.")
public final class ListCommand extends DatabaseCommand {

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Option(
      names = "--expires",
      description =
          "Print only the filters that expire, each with a tab and its expiration time. Expired"
              + " filters that can still be restored are included.")
  private boolean expires;

  @Option(
      names = "--windows",
      description =
          "Print only the filters whose keys expire, each with a tab and how long a key is found.")
  private boolean windows;

  @Override
  void prepare() {
    if (expires && windows) {
      throw new UsageException("--expires does not go with --windows.");
    }
  }

  @Override
  int run(Session session, Output output) {
    if (expires) {
      printExpirations(session, output);
      return ExitCode.DONE;
    }
    if (windows) {
      printWindows(session, output);
      return ExitCode.DONE;
    }
    List<String> names = session.withTables(session.bloom()::names);
    if (json) {
      output.println(Json.of(names));
    } else {
      names.forEach(output::println);
    }
    return ExitCode.DONE;
  }

  private void printExpirations(Session session, Output output) {
    Map<String, String> moments = new LinkedHashMap<>();
    for (FilterStatus filter : session.withTables(session.bloom()::list)) {
      filter.expiresAt().ifPresent(at -> moments.put(filter.name(), at.toString()));
    }
    if (json) {
      output.println(Json.of(moments));
    } else {
      moments.forEach((name, at) -> output.println(name + "\t" + at));
    }
  }

  private void printWindows(Session session, Output output) {
    Map<String, Window> found = new LinkedHashMap<>();
    for (FilterStatus filter : session.withTables(session.bloom()::list)) {
      filter
          .window()
          .filter(window -> !filter.expired())
          .ifPresent(window -> found.put(filter.name(), window));
    }
    if (json) {
      Map<String, Object> figures = new LinkedHashMap<>();
      found.forEach((name, window) -> figures.put(name, WindowText.figures(window)));
      output.println(Json.of(figures));
    } else {
      found.forEach((name, window) -> output.println(name + "\t" + WindowText.of(window)));
    }
  }
}
