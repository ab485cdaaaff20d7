package io.github.slotbloom.resp.command;

import io.github.slotbloom.FilterStatus;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.error.FilterExistsException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.resp.command.Command.Trait;
import io.github.slotbloom.resp.filter.Family;
import io.github.slotbloom.resp.filter.Lanes;
import io.github.slotbloom.resp.protocol.Request;
import io.github.slotbloom.resp.reply.Reply;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** The commands of Redis for keys of any type: names of filters, here. */
final class KeyspaceCommands {

  private final Database database;
  private final Lanes lanes;
  private final boolean allowFlush;

  /**
   * Creates the commands.
   *
   * @param allowFlush false if nobody may drop all filters at once
   */
  KeyspaceCommands(Database database, Lanes lanes, boolean allowFlush) {
    this.database = database;
    this.lanes = lanes;
    this.allowFlush = allowFlush;
  }

  List<Command> all() {
    return List.of(
        Command.of("DEL", 2, Command.ANY, this::delete).with(Trait.WRITES),
        Command.of("UNLINK", 2, Command.ANY, this::delete).with(Trait.WRITES),
        Command.of("EXISTS", 2, Command.ANY, this::exists),
        Command.of("TYPE", 2, 2, this::type),
        Command.of("KEYS", 2, 2, this::keys),
        Command.of("SCAN", 2, 8, this::scan),
        Command.of("DBSIZE", 1, 1, this::size),
        Command.of("RENAME", 3, 3, (session, request) -> rename(request, Reply.OK))
            .with(Trait.WRITES),
        Command.of("RENAMENX", 3, 3, (session, request) -> rename(request, Reply.number(1)))
            .with(Trait.WRITES),
        Command.of("FLUSHDB", 1, 2, this::flush).with(Trait.WRITES),
        Command.of("FLUSHALL", 1, 2, this::flush).with(Trait.WRITES));
  }

  private static List<String> names(Request request) {
    return IntStream.range(1, request.size())
        .mapToObj(place -> Words.name(request, place))
        .toList();
  }

  private CompletableFuture<Reply> delete(Session session, Request request) {
    return drop(new LinkedHashSet<>(names(request))).thenApply(Reply::number);
  }

  /** Drops filters side by side, since each waits until nobody answers from memory. */
  private CompletableFuture<Long> drop(Collection<String> names) {
    CompletableFuture<Long> dropped = CompletableFuture.completedFuture(0L);
    for (String name : names) {
      dropped = dropped.thenCombine(database.ask(bloom -> drop(bloom, name)), Long::sum);
    }
    return dropped;
  }

  private long drop(SlotBloom bloom, String name) {
    // Closed before, so that nothing of it fails in the background; others may open it meanwhile.
    lanes.forget(name);
    try {
      bloom.admin(name).drop();
      return 1;
    } catch (FilterNotFoundException e) {
      return 0;
    } finally {
      lanes.forget(name);
    }
  }

  private CompletableFuture<Reply> exists(Session session, Request request) {
    List<String> names = names(request);
    return database.ask(
        bloom -> Reply.number(names.stream().filter(n -> bloom.status(n).isPresent()).count()));
  }

  private CompletableFuture<Reply> type(Session session, Request request) {
    String name = Words.name(request, 1);
    return database.ask(
        bloom -> new Reply.Status(bloom.status(name).map(KeyspaceCommands::type).orElse("none")));
  }

  private static String type(FilterStatus status) {
    return Family.of(status).type();
  }

  private CompletableFuture<Reply> keys(Session session, Request request) {
    Glob glob = new Glob(request.text(1));
    return database.ask(bloom -> list(bloom.names(), glob::matches));
  }

  private static Reply list(List<String> names, Predicate<String> wanted) {
    return Reply.array(names.stream().filter(wanted).map(Reply::bulk).toList());
  }

  /** Answers all names at once, so that the next cursor is always the last. */
  private CompletableFuture<Reply> scan(Session session, Request request) {
    if (!request.text(1).matches("[0-9]{1,20}")) {
      throw new CommandException("ERR invalid cursor");
    }
    Glob glob = new Glob("*");
    String type = "";
    for (int place = 2; place < request.size(); place += 2) {
      if (place + 1 == request.size()) {
        throw new CommandException("ERR syntax error");
      }
      switch (request.option(place)) {
        case "MATCH" -> glob = new Glob(request.text(place + 1));
        case "TYPE" -> type = request.text(place + 1);
        case "COUNT" -> Words.whole(request, place + 1);
        default -> throw new CommandException("ERR syntax error");
      }
    }
    Predicate<String> matches = glob::matches;
    String wanted = type;
    return database.ask(
        bloom -> {
          Predicate<String> typed =
              name ->
                  wanted.isEmpty()
                      || bloom.status(name).filter(s -> type(s).equals(wanted)).isPresent();
          return Reply.array(List.of(Reply.bulk("0"), list(bloom.names(), matches.and(typed))));
        });
  }

  private CompletableFuture<Reply> size(Session session, Request request) {
    return database.ask(bloom -> Reply.number(bloom.names().size()));
  }

  private CompletableFuture<Reply> rename(Request request, Reply renamed) {
    String name = Words.name(request, 1);
    String newName = Words.name(request, 2);
    boolean same = name.equals(newName);
    return database.ask(
        bloom -> {
          if (bloom.status(name).isEmpty()) {
            throw noSuchKey();
          }
          if (same) {
            return renamed.equals(Reply.OK) ? Reply.OK : Reply.number(0);
          }
          lanes.forget(name);
          try {
            bloom.admin(name).rename(newName);
            return renamed;
          } catch (FilterExistsException e) {
            return taken(renamed);
          } catch (FilterNotFoundException e) {
            throw noSuchKey();
          } finally {
            lanes.forget(name);
          }
        });
  }

  private static CommandException noSuchKey() {
    return new CommandException("ERR no such key");
  }

  private static Reply taken(Reply renamed) {
    return renamed.equals(Reply.OK)
        ? Reply.error(
            "ERR a filter has the new name, and RENAME does not overwrite filters. DEL it first.")
        : Reply.number(0);
  }

  private CompletableFuture<Reply> flush(Session session, Request request) {
    if (!allowFlush) {
      throw new CommandException(
          "ERR " + request.option(0) + " drops all filters. Start the server with --allow-flush.");
    }
    return database
        .ask(SlotBloom::names)
        .thenCompose(names -> drop(Set.copyOf(names)))
        .thenApply(dropped -> Reply.OK);
  }
}
