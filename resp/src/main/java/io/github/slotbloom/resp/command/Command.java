package io.github.slotbloom.resp.command;

import io.github.slotbloom.resp.filter.Lane;
import io.github.slotbloom.resp.protocol.Request;
import io.github.slotbloom.resp.reply.Reply;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One command.
 *
 * @param name in capitals
 * @param fewest words, the name included
 * @param most words
 * @param traits what is particular about it
 * @param lane of a request, in which neighbors become one call; null if there are none
 * @param action what it does
 */
record Command(
    String name,
    int fewest,
    int most,
    Set<Trait> traits,
    @Nullable Function<Request, Lane> lane,
    Action action) {

  /** The properties of a command. */
  enum Trait {
    /** It may be used before the password was given. */
    FOR_STRANGERS,
    /** It is not kept between MULTI and EXEC, but carried out. */
    NEVER_QUEUED,
    /** It is an error between MULTI and EXEC. */
    NOT_IN_QUEUE,
    /** It changes filters. */
    WRITES
  }

  /** Carries out a command. */
  interface Action {
    /**
     * Does it, on the thread of the connection, which must not wait.
     *
     * @throws RuntimeException as the future may fail
     */
    CompletableFuture<Reply> run(Session session, Request request);
  }

  /** The value of {@link #most} where there is no such bound. */
  static final int ANY = Integer.MAX_VALUE;

  static Command of(String name, int fewest, int most, Action action) {
    return new Command(name, fewest, most, EnumSet.noneOf(Trait.class), null, action);
  }

  /** Returns a command that is carried out at once. */
  static Command atOnce(
      String name, int fewest, int most, BiFunction<Session, Request, Reply> action) {
    return of(
        name,
        fewest,
        most,
        (session, request) -> CompletableFuture.completedFuture(action.apply(session, request)));
  }

  Command with(Trait trait, Trait... more) {
    return new Command(name, fewest, most, EnumSet.of(trait, more), lane, action);
  }

  Command joining(Function<Request, Lane> lanes) {
    return new Command(name, fewest, most, traits, lanes, action);
  }

  boolean is(Trait trait) {
    return traits.contains(trait);
  }

  boolean takes(int words) {
    return words >= fewest && words <= most;
  }
}
