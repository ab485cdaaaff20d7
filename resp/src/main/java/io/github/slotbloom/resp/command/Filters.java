package io.github.slotbloom.resp.command;

import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.FilterStatus;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.error.FilterExistsException;
import io.github.slotbloom.resp.filter.Family;
import io.github.slotbloom.resp.reply.Reply;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What the commands of both families do with whole filters. */
final class Filters {

  private final Database database;

  Filters(Database database) {
    this.database = database;
  }

  /** Makes a filter. */
  CompletableFuture<Reply> reserve(String name, Family family, FilterSpec<byte[]> spec) {
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

  /** Reads what is known of a filter of that family; empty if there is none of that name. */
  CompletableFuture<Optional<FilterStatus>> status(String name, Family family) {
    return database.ask(bloom -> status(bloom, name, family));
  }

  private static Optional<FilterStatus> status(SlotBloom bloom, String name, Family family) {
    Optional<FilterStatus> status = bloom.status(name);
    status.ifPresent(family::require);
    return status;
  }
}
