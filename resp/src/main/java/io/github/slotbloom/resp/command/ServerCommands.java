package io.github.slotbloom.resp.command;

import io.github.slotbloom.resp.command.Command.Trait;
import io.github.slotbloom.resp.filter.Lanes;
import io.github.slotbloom.resp.protocol.Request;
import io.github.slotbloom.resp.reply.Reply;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The commands of Redis that are about the server: INFO, CONFIG, COMMAND. */
final class ServerCommands {

  /** The version of Redis whose answers these are. */
  static final String REDIS_VERSION = "7.0.15";

  private final Database database;
  private final Lanes lanes;
  private final Sessions sessions;
  private final Statistics statistics;
  private final IntSupplier port;

  ServerCommands(
      Database database, Lanes lanes, Sessions sessions, Statistics statistics, IntSupplier port) {
    this.database = database;
    this.lanes = lanes;
    this.sessions = sessions;
    this.statistics = statistics;
    this.port = port;
  }

  List<Command> all(Map<String, Command> table) {
    return List.of(
        Command.atOnce("INFO", 1, Command.ANY, (session, request) -> info(request)),
        Command.atOnce("CONFIG", 2, Command.ANY, (session, request) -> config(request)),
        Command.atOnce("COMMAND", 1, Command.ANY, (session, request) -> command(request, table)));
  }

  private Reply info(Request request) {
    Set<String> wanted =
        IntStream.range(1, request.size()).mapToObj(request::option).collect(Collectors.toSet());
    boolean all =
        wanted.isEmpty() || !Collections.disjoint(wanted, Set.of("ALL", "DEFAULT", "EVERYTHING"));
    return new Reply.Text(
        sections().entrySet().stream()
            .filter(section -> all || wanted.contains(section.getKey().toUpperCase(Locale.ROOT)))
            .map(section -> "# " + section.getKey() + "\r\n" + section.getValue())
            .collect(Collectors.joining("\r\n")));
  }

  private Map<String, String> sections() {
    Map<String, String> sections = new LinkedHashMap<>();
    sections.put(
        "Server",
        line("redis_version", REDIS_VERSION)
            + line("redis_mode", "standalone")
            + line("tcp_port", port.getAsInt())
            + line("uptime_in_seconds", statistics.uptimeSeconds()));
    sections.put(
        "Clients",
        line("connected_clients", sessions.count()) + line("maxclients", sessions.most()));
    sections.put("Persistence", line("loading", database.isLoading() ? 1 : 0));
    sections.put(
        "Stats",
        line("total_connections_received", sessions.opened())
            + line("total_commands_processed", statistics.commands())
            + line("total_error_replies", statistics.errors()));
    sections.put("Replication", line("role", "master"));
    sections.put(
        "Slotbloom",
        line("slotbloom_clients", sessions.count())
            + line("slotbloom_commands", statistics.commands())
            + line("slotbloom_errors", statistics.errors())
            + line("slotbloom_open_filters", lanes.openFilters())
            + line("slotbloom_seconds", String.format(Locale.ROOT, "%.3f", statistics.seconds())));
    return sections;
  }

  private static String line(String name, Object value) {
    return name + ":" + value + "\r\n";
  }

  private Reply config(Request request) {
    if (!request.option(1).equals("GET")) {
      return unknownSubcommand(request);
    }
    if (request.size() < 3) {
      throw CommandException.wrongNumberOfArguments("config|get");
    }
    Map<String, String> settings =
        new TreeMap<>(
            Map.of(
                "save", "",
                "appendonly", "yes",
                "appendfsync", "always",
                "databases", "1",
                "maxclients", Integer.toString(sessions.most()),
                "maxmemory", "0"));
    List<Glob> globs =
        IntStream.range(2, request.size())
            .mapToObj(place -> new Glob(request.text(place).toLowerCase(Locale.ROOT)))
            .toList();
    List<Reply> found = new ArrayList<>();
    settings.forEach(
        (name, value) -> {
          if (globs.stream().anyMatch(glob -> glob.matches(name))) {
            found.add(Reply.bulk(name));
            found.add(Reply.bulk(value));
          }
        });
    return new Reply.Pairs(found);
  }

  private static Reply command(Request request, Map<String, Command> table) {
    if (request.size() == 1) {
      return described(table.values());
    }
    return switch (request.option(1)) {
      case "COUNT" -> Reply.number(table.values().size());
      // Clients know what the commands do; they take this for a server without documents.
      case "DOCS" -> new Reply.Pairs(List.of());
      case "INFO" ->
          request.size() == 2
              ? described(table.values())
              : Reply.array(
                  IntStream.range(2, request.size())
                      .mapToObj(place -> table.get(request.option(place)))
                      .map(command -> command == null ? Reply.NOTHING : described(command))
                      .toList());
      case "LIST" ->
          Reply.array(
              table.values().stream()
                  .map(command -> Reply.bulk(command.name().toLowerCase(Locale.ROOT)))
                  .toList());
      default -> unknownSubcommand(request);
    };
  }

  private static Reply unknownSubcommand(Request request) {
    return Reply.error(
        "ERR unknown subcommand '" + request.text(1) + "'. Try " + request.option(0) + " HELP.");
  }

  private static Reply described(Collection<Command> commands) {
    return Reply.array(commands.stream().map(ServerCommands::described).toList());
  }

  /** Tells name, number of words, flags, and where names of filters are. */
  private static Reply described(Command command) {
    boolean filters = command.name().startsWith("BF.") || command.name().startsWith("CF.");
    int key = filters ? 1 : 0;
    return Reply.array(
        List.of(
            Reply.bulk(command.name().toLowerCase(Locale.ROOT)),
            Reply.number(command.fewest() == command.most() ? command.fewest() : -command.fewest()),
            Reply.array(List.of(new Reply.Status(command.is(Trait.WRITES) ? "write" : "readonly"))),
            Reply.number(key),
            Reply.number(key),
            Reply.number(key)));
  }
}
