package io.github.slotbloom.resp.command;

import io.github.slotbloom.resp.filter.Family;
import io.github.slotbloom.resp.filter.Lane;
import io.github.slotbloom.resp.protocol.Request;
import io.github.slotbloom.resp.reply.Reply;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One command.
 *
 * @param name in capitals
 * @param fewest words, the name included
 * @param most words
 * @param traits what is particular about it
 * @param kind what it does with keys, if neighbors may do it in one call; else null
 * @param family the filters that it is for
 * @param action what it does
 */
record Command(
    String name,
    int fewest,
    int most,
    Set<Trait> traits,
    Lane.@Nullable Kind kind,
    Family family,
    Action action) {

  /** What is particular about a command. */
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

  /** What a command does. */
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
    return new Command(name, fewest, most, EnumSet.noneOf(Trait.class), null, Family.BLOOM, action);
  }

  /** Returns a command that is carried out at once. */
  static Command atOnce(String name, int fewest, int most, Function<Request, Reply> action) {
    return of(
        name,
        fewest,
        most,
        (session, request) -> CompletableFuture.completedFuture(action.apply(request)));
  }

  Command with(Trait trait, Trait... more) {
    return new Command(name, fewest, most, EnumSet.of(trait, more), kind, family, action);
  }

  /** Lets neighbors become one call. The second word is the name of a filter. */
  Command joining(Lane.Kind what, Family ofFamily) {
    return new Command(name, fewest, most, traits, what, ofFamily, action);
  }

  boolean is(Trait trait) {
    return traits.contains(trait);
  }

  boolean takes(int words) {
    return words >= fewest && words <= most;
  }
}
