package io.github.slotbloom.resp.command;

import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.FilterStatus;
import io.github.slotbloom.error.FilterExistsException;
import io.github.slotbloom.resp.filter.Family;
import io.github.slotbloom.resp.protocol.Request;
import io.github.slotbloom.resp.reply.Reply;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Creates, opens and describes the filters of one family for commands. */
final class Filters {

  private final Database database;
  private final Family family;

  Filters(Database database, Family family) {
    this.database = database;
    this.family = family;
  }

  /** Makes the filter that the request names. */
  CompletableFuture<Reply> reserve(Request request, FilterSpec<byte[]> spec) {
    String name = Words.name(request, 1);
    return database.ask(
        bloom -> {
          try {
            // Whoever uses it will open it.
            bloom.reserve(name, spec, FilterOptions.defaults().withoutMirror()).close();
            return Reply.OK;
          } catch (FilterExistsException e) {
            bloom.status(name).ifPresent(family::require);
            throw e;
          }
        });
  }

  /** Tells something of the filter that the request names; empty if there is none. */
  CompletableFuture<Reply> tell(Request request, Function<Optional<FilterStatus>, Reply> telling) {
    String name = Words.name(request, 1);
    return database.ask(
        bloom -> {
          Optional<FilterStatus> status = bloom.status(name);
          status.ifPresent(family::require);
          return telling.apply(status);
        });
  }

  /** Tells something of a filter that has to be there. */
  CompletableFuture<Reply> info(Request request, Function<FilterStatus, Reply> telling) {
    return tell(
        request,
        status -> telling.apply(status.orElseThrow(() -> new CommandException("ERR not found"))));
  }
}
