package io.github.slotbloom.resp.command;

import io.github.slotbloom.resp.filter.Lane;
import io.github.slotbloom.resp.protocol.Request;
import io.github.slotbloom.resp.reply.Reply;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Carries out requests. Called on the thread of the connection; does not wait. */
public interface Runner {

  /** Begins to carry out a request. The future never fails: failures are answers as well. */
  CompletableFuture<Reply> run(Session session, Request request);

  /**
   * Returns what a request has in common with others that may be under way with it; null if it has
   * to be alone.
   */
  @Nullable Lane lane(Session session, Request request);
}
