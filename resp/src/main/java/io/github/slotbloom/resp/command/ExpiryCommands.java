package io.github.slotbloom.resp.command;

import io.github.slotbloom.FilterStatus;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.resp.command.Command.Trait;
import io.github.slotbloom.resp.filter.Lanes;
import io.github.slotbloom.resp.protocol.Request;
import io.github.slotbloom.resp.reply.Reply;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongUnaryOperator;

/** The commands of Redis that set and tell when a key expires, by the database clock. */
final class ExpiryCommands {

  private static final long NEVER = -1;
  private static final long NO_SUCH_KEY = -2;
  private static final Instant YEAR_10000 = Instant.parse("+10000-01-01T00:00:00Z");

  private final Database database;
  private final Lanes lanes;

  ExpiryCommands(Database database, Lanes lanes) {
    this.database = database;
    this.lanes = lanes;
  }

  List<Command> all() {
    return List.of(
        expiring("EXPIRE", ChronoUnit.SECONDS, false),
        expiring("PEXPIRE", ChronoUnit.MILLIS, false),
        expiring("EXPIREAT", ChronoUnit.SECONDS, true),
        expiring("PEXPIREAT", ChronoUnit.MILLIS, true),
        Command.of("PERSIST", 2, 2, this::persist).with(Trait.WRITES),
        Command.of("TTL", 2, 2, (s, request) -> left(request, ExpiryCommands::seconds)),
        Command.of("PTTL", 2, 2, (s, request) -> left(request, millis -> millis)),
        Command.of("EXPIRETIME", 2, 2, (s, request) -> moment(request, ExpiryCommands::seconds)),
        Command.of("PEXPIRETIME", 2, 2, (s, request) -> moment(request, millis -> millis)));
  }

  private Command expiring(String name, ChronoUnit unit, boolean absolute) {
    return Command.of(name, 3, 4, (session, request) -> expire(request, unit, absolute))
        .with(Trait.WRITES);
  }

  /** Rounds as Redis does. */
  private static long seconds(long millis) {
    return (millis + 500) / 1000;
  }

  private CompletableFuture<Reply> expire(Request request, ChronoUnit unit, boolean absolute) {
    String name = Words.name(request, 1);
    long amount = Words.whole(request, 2);
    String condition = request.size() == 4 ? request.option(3) : "";
    if (!condition.matches("|NX|XX|GT|LT")) {
      throw new CommandException("ERR Unsupported option " + request.text(3));
    }
    return database.ask(
        bloom -> {
          Optional<FilterStatus> status = bloom.status(name);
          if (status.isEmpty()) {
            return Reply.number(0);
          }
          Instant now = bloom.databaseTime();
          Instant at = at(request, absolute ? Instant.EPOCH : now, amount, unit);
          return holds(condition, status.get().expiresAt(), at)
              ? Reply.number(expire(bloom, name, at, at.isAfter(now)))
              : Reply.number(0);
        });
  }

  private static Instant at(Request request, Instant from, long amount, ChronoUnit unit) {
    try {
      Instant at = from.plus(amount, unit);
      if (at.isBefore(YEAR_10000)) {
        return at.isBefore(Instant.EPOCH) ? Instant.EPOCH : at;
      }
    } catch (DateTimeException | ArithmeticException e) {
      // It is refused like any that is too late.
    }
    throw new CommandException(
        "ERR invalid expire time in '" + request.text(0).toLowerCase(Locale.ROOT) + "' command");
  }

  private static boolean holds(String condition, Optional<Instant> before, Instant at) {
    return switch (condition) {
      case "NX" -> before.isEmpty();
      case "XX" -> before.isPresent();
      case "GT" -> before.isPresent() && at.isAfter(before.get());
      case "LT" -> before.isEmpty() || at.isBefore(before.get());
      default -> true;
    };
  }

  private long expire(SlotBloom bloom, String name, Instant at, boolean later) {
    try {
      bloom.admin(name).expireAt(at);
      if (!later) {
        // This server would answer from memory for a moment.
        lanes.forget(name);
      }
      return 1;
    } catch (FilterNotFoundException e) {
      return 0;
    }
  }

  private CompletableFuture<Reply> persist(Session session, Request request) {
    String name = Words.name(request, 1);
    return database.ask(
        bloom -> {
          boolean expires = bloom.status(name).flatMap(FilterStatus::expiresAt).isPresent();
          if (expires) {
            bloom.admin(name).neverExpire();
          }
          return Reply.number(expires ? 1 : 0);
        });
  }

  private CompletableFuture<Reply> left(Request request, LongUnaryOperator unit) {
    return told(
        request,
        (bloom, at) -> {
          long millis = Duration.between(bloom.databaseTime(), at).toMillis();
          return millis < 0 ? NO_SUCH_KEY : unit.applyAsLong(millis);
        });
  }

  private CompletableFuture<Reply> moment(Request request, LongUnaryOperator unit) {
    return told(request, (bloom, at) -> unit.applyAsLong(at.toEpochMilli()));
  }

  private interface Telling {
    long of(SlotBloom bloom, Instant expiresAt);
  }

  private CompletableFuture<Reply> told(Request request, Telling telling) {
    String name = Words.name(request, 1);
    return database.ask(
        bloom -> {
          Optional<FilterStatus> status = bloom.status(name);
          if (status.isEmpty()) {
            return Reply.number(NO_SUCH_KEY);
          }
          Optional<Instant> at = status.get().expiresAt();
          return Reply.number(at.isEmpty() ? NEVER : telling.of(bloom, at.get()));
        });
  }
}
