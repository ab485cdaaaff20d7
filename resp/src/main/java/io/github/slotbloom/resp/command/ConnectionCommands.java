package io.github.slotbloom.resp.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.slotbloom.resp.command.Command.Trait;
import io.github.slotbloom.resp.protocol.Request;
import io.github.slotbloom.resp.reply.Reply;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** The commands of Redis that are about the connection. */
final class ConnectionCommands {

  private static final String ANYBODY = "default";

  private final Sessions sessions;
  private final Health health;

  ConnectionCommands(Sessions sessions, Health health) {
    this.sessions = sessions;
    this.health = health;
  }

  List<Command> all() {
    return List.of(
        Command.atOnce("AUTH", 2, 3, this::authenticate).with(Trait.FOR_STRANGERS),
        Command.atOnce("HELLO", 1, Command.ANY, this::hello)
            .with(Trait.FOR_STRANGERS, Trait.NOT_IN_QUEUE),
        Command.atOnce("QUIT", 1, Command.ANY, ConnectionCommands::quit)
            .with(Trait.FOR_STRANGERS, Trait.NEVER_QUEUED),
        Command.atOnce("RESET", 1, 1, this::reset).with(Trait.FOR_STRANGERS, Trait.NEVER_QUEUED),
        Command.of("PING", 1, 2, this::ping),
        Command.atOnce("ECHO", 2, 2, (session, request) -> new Reply.Bulk(request.word(1))),
        Command.atOnce("SELECT", 2, 2, ConnectionCommands::select),
        Command.atOnce("CLIENT", 2, Command.ANY, this::client));
  }

  private Reply authenticate(Session session, Request request) {
    if (request.size() == 2 && sessions.password() == null) {
      return Reply.error(
          "ERR AUTH <password> called without any password configured for the default user. Are you"
              + " sure your configuration is correct?");
    }
    String user = request.size() == 3 ? request.text(1) : ANYBODY;
    authenticate(session, user, request.word(request.size() - 1));
    return Reply.OK;
  }

  private void authenticate(Session session, String user, byte[] given) {
    Password password = sessions.password();
    boolean right = password == null || password.is(given);
    if (!right || !user.equals(ANYBODY)) {
      throw new CommandException("WRONGPASS invalid username-password pair or user is disabled.");
    }
    session.trust(true);
  }

  private Reply hello(Session session, Request request) {
    int version = request.size() > 1 ? version(request) : session.version();
    String name = session.name();
    for (int place = 2; place < request.size(); place++) {
      String option = request.option(place);
      if (option.equals("AUTH") && place + 2 < request.size()) {
        authenticate(session, request.text(place + 1), request.word(place + 2));
        place += 2;
      } else if (option.equals("SETNAME") && place + 1 < request.size()) {
        name = clientName(request.text(++place));
      } else {
        throw new CommandException(
            "ERR Syntax error in HELLO option '" + request.text(place) + "'");
      }
    }
    if (!session.isTrusted()) {
      throw new CommandException(
          "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO"
              + " <proto> AUTH <user> <pass> option can be used to authenticate the client and"
              + " select the RESP protocol version at the same time");
    }
    session.name(name);
    session.speak(version);
    return new Reply.Pairs(
        List.of(
            Reply.bulk("server"),
            Reply.bulk("redis"),
            Reply.bulk("version"),
            Reply.bulk(ServerCommands.REDIS_VERSION),
            Reply.bulk("proto"),
            Reply.number(session.version()),
            Reply.bulk("id"),
            Reply.number(session.id()),
            Reply.bulk("mode"),
            Reply.bulk("standalone"),
            Reply.bulk("role"),
            Reply.bulk("master"),
            Reply.bulk("modules"),
            Reply.array(List.of())));
  }

  private static int version(Request request) {
    return (int)
        Words.whole(
            request,
            1,
            2,
            3,
            "ERR Protocol version is not an integer or out of range",
            "NOPROTO unsupported protocol version");
  }

  private static Reply quit(Session session, Request request) {
    session.leave();
    return Reply.OK;
  }

  private Reply reset(Session session, Request request) {
    session.endQueue();
    session.name("");
    session.speak(2);
    session.trust(sessions.password() == null);
    return new Reply.Status("RESET");
  }

  private CompletableFuture<Reply> ping(Session session, Request request) {
    Reply pong = request.size() == 2 ? new Reply.Bulk(request.word(1)) : new Reply.Status("PONG");
    return health.check().thenApply(answers -> pong);
  }

  private static Reply select(Session session, Request request) {
    return Words.whole(request, 1) == 0 ? Reply.OK : Reply.error("ERR DB index is out of range");
  }

  private Reply client(Session session, Request request) {
    String subcommand = request.option(1);
    int words =
        switch (subcommand) {
          case "ID", "GETNAME", "INFO" -> 2;
          case "SETNAME", "NO-EVICT", "NO-TOUCH" -> 3;
          case "SETINFO" -> 4;
          case "LIST" -> request.size();
          default ->
              throw new CommandException(
                  "ERR unknown subcommand '" + request.text(1) + "'. Try CLIENT HELP.");
        };
    if (request.size() != words) {
      throw CommandException.wrongNumberOfArguments("client|" + subcommand);
    }
    return switch (subcommand) {
      case "ID" -> Reply.number(session.id());
      case "GETNAME" -> session.name().isEmpty() ? Reply.NOTHING : Reply.bulk(session.name());
      case "SETNAME" -> {
        session.name(clientName(request.text(2)));
        yield Reply.OK;
      }
      case "SETINFO" -> information(session, request);
      case "INFO" -> new Reply.Text(line(session));
      case "LIST" ->
          new Reply.Text(
              sessions.all().stream().map(ConnectionCommands::line).collect(Collectors.joining()));
      default -> Reply.OK;
    };
  }

  private static Reply information(Session session, Request request) {
    String value = clientName(request.text(3));
    switch (request.option(2)) {
      case "LIB-NAME" -> session.library(value, session.libraryVersion());
      case "LIB-VER" -> session.library(session.library(), value);
      default -> throw new CommandException("ERR Unrecognized option '" + request.text(2) + "'");
    }
    return Reply.OK;
  }

  private static String clientName(String name) {
    for (byte each : name.getBytes(UTF_8)) {
      if (each < '!' || each > '~') {
        throw new CommandException(
            "ERR Client names cannot contain spaces, newlines or special characters.");
      }
    }
    return name;
  }

  private static String line(Session session) {
    return "id=%s addr=%s name=%s age=%s idle=%s flags=N db=0 user=default resp=%s lib-name=%s lib-ver=%s\n"
        .formatted(
            session.id(),
            session.address(),
            session.name(),
            session.secondsOld(),
            session.secondsIdle(),
            session.version(),
            session.library(),
            session.libraryVersion());
  }
}
