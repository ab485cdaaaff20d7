package io.github.slotbloom.resp.command;

import io.github.slotbloom.error.FilterExistsException;
import io.github.slotbloom.error.FilterFullException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.resp.filter.WrongTypeException;
import io.github.slotbloom.resp.reply.Reply;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns failures into replies for clients. */
final class Failures {

  private static final Logger log = LoggerFactory.getLogger(Failures.class);

  /**
   * What a server says that takes no writes, or none from this account: access to the schema or the
   * table is denied, read_only, a session for reading.
   */
  private static final Set<Integer> NO_WRITES = Set.of(1044, 1142, 1290, 1792, 1836);

  private Failures() {}

  static Reply reply(Throwable thrown) {
    Throwable failure = thrown;
    while (failure instanceof CompletionException && failure.getCause() != null) {
      failure = failure.getCause();
    }
    if (failure instanceof CommandException || failure instanceof WrongTypeException) {
      return Reply.error(message(failure));
    }
    if (takesNoWrites(failure)) {
      return Reply.error("READONLY This server cannot write to the database. " + message(failure));
    }
    if (failure instanceof WriteFailedException write) {
      return write.outcome() == WriteFailedException.Outcome.UNKNOWN
          ? Reply.error("ERR outcome unknown, so a retry may answer 0. " + message(failure))
          : Reply.error("TRYAGAIN not recorded. " + message(failure));
    }
    if (failure instanceof FilterUnavailableException) {
      return Reply.error("TRYAGAIN " + message(failure));
    }
    if (failure instanceof TimeoutException || failure instanceof RejectedExecutionException) {
      return Reply.error("TRYAGAIN The server is busy or shutting down.");
    }
    if (failure instanceof FilterNotFoundException) {
      return Reply.error("ERR not found");
    }
    if (failure instanceof FilterExistsException) {
      return Reply.error("ERR item exists");
    }
    if (failure instanceof FilterFullException) {
      return Reply.error("ERR non scaling filter is full");
    }
    if (failure instanceof SlotBloomException) {
      return Reply.error("ERR " + message(failure));
    }
    log.error("a command failed", failure);
    return Reply.error("ERR internal error, see the server's log");
  }

  private static boolean takesNoWrites(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql && NO_WRITES.contains(sql.getErrorCode())) {
        return true;
      }
    }
    return false;
  }

  private static String message(Throwable failure) {
    @Nullable String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : message;
  }
}
