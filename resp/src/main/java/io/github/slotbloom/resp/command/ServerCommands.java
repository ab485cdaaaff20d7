package io.github.slotbloom.resp.command;

import io.github.slotbloom.resp.command.Command.Trait;
import io.github.slotbloom.resp.filter.Lanes;
import io.github.slotbloom.resp.protocol.Request;
import io.github.slotbloom.resp.reply.Reply;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntSupplier;

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

  void addTo(CommandTable table) {
    table.add(Command.atOnce("INFO", 1, Command.ANY, this::info));
    table.add(Command.atOnce("CONFIG", 2, Command.ANY, this::config));
    table.add(Command.atOnce("COMMAND", 1, Command.ANY, request -> command(request, table)));
  }

  private Reply info(Request request) {
    List<String> wanted = new ArrayList<>();
    for (int place = 1; place < request.size(); place++) {
      wanted.add(request.option(place));
    }
    boolean all =
        wanted.isEmpty()
            || wanted.contains("ALL")
            || wanted.contains("DEFAULT")
            || wanted.contains("EVERYTHING");
    StringBuilder text = new StringBuilder();
    sections()
        .forEach(
            (name, lines) -> {
              if (all || wanted.contains(name.toUpperCase(Locale.ROOT))) {
                text.append(text.isEmpty() ? "" : "\r\n").append("# ").append(name).append("\r\n");
                lines.forEach(
                    (key, value) -> text.append(key).append(':').append(value).append("\r\n"));
              }
            });
    return new Reply.Text(text.toString());
  }

  private Map<String, Map<String, Object>> sections() {
    Map<String, Map<String, Object>> sections = new LinkedHashMap<>();
    Map<String, Object> server = section(sections, "Server");
    server.put("redis_version", REDIS_VERSION);
    server.put("redis_mode", "standalone");
    server.put("tcp_port", port.getAsInt());
    server.put("uptime_in_seconds", statistics.uptimeSeconds());
    Map<String, Object> clients = section(sections, "Clients");
    clients.put("connected_clients", sessions.count());
    clients.put("maxclients", sessions.most());
    section(sections, "Persistence").put("loading", database.isLoading() ? 1 : 0);
    Map<String, Object> stats = section(sections, "Stats");
    stats.put("total_connections_received", statistics.connections());
    stats.put("total_commands_processed", statistics.commands());
    stats.put("total_error_replies", statistics.errors());
    section(sections, "Replication").put("role", "master");
    Map<String, Object> ours = section(sections, "Slotbloom");
    ours.put("slotbloom_clients", sessions.count());
    ours.put("slotbloom_commands", statistics.commands());
    ours.put("slotbloom_errors", statistics.errors());
    ours.put("slotbloom_open_filters", lanes.openFilters());
    ours.put("slotbloom_seconds", String.format(Locale.ROOT, "%.3f", statistics.seconds()));
    return sections;
  }

  private static Map<String, Object> section(
      Map<String, Map<String, Object>> sections, String name) {
    return sections.computeIfAbsent(name, same -> new LinkedHashMap<>());
  }

  private Reply config(Request request) {
    if (!request.option(1).equals("GET")) {
      return unknownSubcommand(request);
    }
    if (request.size() < 3) {
      throw CommandException.wrongNumberOfArguments("config|get");
    }
    Map<String, String> settings =
        Map.of(
            "save", "",
            "appendonly", "yes",
            "appendfsync", "always",
            "databases", "1",
            "maxclients", Integer.toString(sessions.most()),
            "maxmemory", "0");
    List<Reply> found = new ArrayList<>();
    settings.keySet().stream()
        .sorted()
        .filter(name -> isWanted(name, request))
        .forEach(
            name -> {
              found.add(Reply.bulk(name));
              found.add(Reply.bulk(settings.getOrDefault(name, "")));
            });
    return new Reply.Pairs(found);
  }

  private static boolean isWanted(String name, Request request) {
    for (int place = 2; place < request.size(); place++) {
      if (new Glob(request.text(place).toLowerCase(Locale.ROOT)).matches(name)) {
        return true;
      }
    }
    return false;
  }

  private static Reply command(Request request, CommandTable table) {
    if (request.size() == 1) {
      return described(table.all());
    }
    return switch (request.option(1)) {
      case "COUNT" -> Reply.number(table.all().size());
      // Clients know what the commands do; they take this for a server without documents.
      case "DOCS" -> new Reply.Pairs(List.of());
      case "INFO" -> request.size() == 2 ? described(table.all()) : described(request, table);
      case "LIST" ->
          Reply.array(
              table.all().stream()
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

  private static Reply described(Request request, CommandTable table) {
    List<Reply> found = new ArrayList<>();
    for (int place = 2; place < request.size(); place++) {
      Command command = table.find(request.option(place));
      found.add(command == null ? Reply.NOTHING : described(command));
    }
    return Reply.array(found);
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
