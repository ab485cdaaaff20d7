package io.github.slotbloom.resp.command;

import io.github.slotbloom.resp.filter.Lane;
import io.github.slotbloom.resp.protocol.Request;
import io.github.slotbloom.resp.reply.Reply;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Carries out the requests of one client as if one after the other, and gives the answers in that
 * order. Requests of one lane, as many as come in a row, are under way together. Used by one
 * thread; what completes elsewhere comes back to it.
 */
public final class InOrder {

  /** So many requests are under way at a time. They fill a transaction. */
  private static final int MOST_RUNNING = 4096;

  private final Session session;
  private final Runner runner;
  private final BooleanSupplier takesAnswers;
  private final Consumer<Reply> answers;
  private final Runnable onProgress;
  private final Deque<Request> waiting = new ArrayDeque<>();
  private final Deque<Running> running = new ArrayDeque<>();
  private final AtomicBoolean wakes = new AtomicBoolean();
  private @Nullable Lane lane;
  private long bytes;
  private boolean progressing;

  /**
   * A request that has begun.
   *
   * @param answer to be given in its turn
   * @param bytes that the request takes
   */
  private record Running(CompletableFuture<Reply> answer, long bytes) {}

  /**
   * Creates an empty row.
   *
   * @param session the client
   * @param runner carries the requests out
   * @param takesAnswers tells whether answers can be given now; while not, none is, and nothing
   *     further begins
   * @param answers takes them
   * @param onProgress is called after answers were given because something completed elsewhere
   */
  public InOrder(
      Session session,
      Runner runner,
      BooleanSupplier takesAnswers,
      Consumer<Reply> answers,
      Runnable onProgress) {
    this.session = session;
    this.runner = runner;
    this.takesAnswers = takesAnswers;
    this.answers = answers;
    this.onProgress = onProgress;
  }

  /** Adds a request, which begins with the next {@link #progress}. */
  public void add(Request request) {
    waiting.add(request);
    bytes += request.bytes();
  }

  /** Returns the number of requests that have no answer yet. */
  public int size() {
    return waiting.size() + running.size();
  }

  /** Returns about how much memory the requests take that have no answer yet. */
  public long bytes() {
    return bytes;
  }

  /** Forgets what has not begun. */
  public void drop() {
    waiting.forEach(request -> bytes -= request.bytes());
    waiting.clear();
  }

  /** Gives the answers that are there, and begins what can begin. */
  public void progress() {
    if (progressing) {
      return;
    }
    progressing = true;
    try {
      boolean moved = true;
      while (moved) {
        moved = answer();
        while (mayBegin()) {
          begin();
          moved = true;
        }
      }
    } finally {
      progressing = false;
    }
  }

  private boolean answer() {
    boolean moved = false;
    while (!running.isEmpty()
        && running.element().answer().isDone()
        && takesAnswers.getAsBoolean()) {
      Running done = running.remove();
      bytes -= done.bytes();
      answers.accept(done.answer().join());
      moved = true;
    }
    return moved;
  }

  private boolean mayBegin() {
    if (waiting.isEmpty() || running.size() >= MOST_RUNNING || !takesAnswers.getAsBoolean()) {
      return false;
    }
    if (running.isEmpty()) {
      return true;
    }
    return lane != null && lane.equals(runner.lane(session, waiting.element()));
  }

  private void begin() {
    Request request = waiting.remove();
    if (running.isEmpty()) {
      lane = runner.lane(session, request);
    }
    CompletableFuture<Reply> answer = runner.run(session, request);
    running.add(new Running(answer, request.bytes()));
    if (!answer.isDone()) {
      var unused = answer.thenRun(this::wake);
    }
  }

  private void wake() {
    if (wakes.compareAndSet(false, true)) {
      session
          .thread()
          .execute(
              () -> {
                wakes.set(false);
                progress();
                onProgress.run();
              });
    }
  }
}
