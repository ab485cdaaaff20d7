package io.github.slotbloom.cli.line;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.cli.CommandException;
import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.cli.terminal.OutputException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Reads lines, looks up their keys in the filter, and prints. Each step has its own thread, so the
 * database works on one batch while the next is read and the last is printed.
 *
 * <p>A batch holds all lines that arrived before the filter was free. It is large while input flows
 * fast, and a single line when input is slow. So no timer is needed, and no line waits for others.
 */
public final class LinePipeline {

  /** Prints a line or omits it. */
  public interface Printer {
    void print(Line line, Answer answer);
  }

  /** The most lines that fit into one transaction. */
  private static final int BATCH_LINES = BloomFilter.MAX_KEYS_PER_TRANSACTION;

  private static final int BATCH_BYTES = 4 * 1024 * 1024;
  private static final int PARTS_WAITING = 64;
  private static final int BATCHES_WAITING = 2;

  /** Lines for the filter. An empty part marks the end of the input. */
  private record Part(List<Line> lines, int bytes) {
    static final Part END = new Part(List.of(), 0);

    boolean isEnd() {
      return lines.isEmpty();
    }
  }

  /** Lines for the printer. An empty part marks the end. */
  private record Answered(List<Line> lines, List<Answer> answers) {
    static final Answered END = new Answered(List.of(), List.of());

    boolean isEnd() {
      return lines.isEmpty();
    }
  }

  private final Inputs inputs;
  private final InputStream standardInput;
  private final byte separator;
  private final LineAnswerer<?> answerer;
  private final Printer printer;
  private final Output output;
  private final Delivery delivery;
  private final Counts counts = new Counts();

  private final BlockingQueue<Part> read = new ArrayBlockingQueue<>(PARTS_WAITING);
  private final BlockingQueue<Answered> answered = new ArrayBlockingQueue<>(BATCHES_WAITING);
  private boolean ended;
  private volatile boolean stopped;
  private volatile boolean printerLeft;

  /**
   * @param standardInput the stream to read and close, if the inputs name it
   * @param separator the byte that ends a line
   */
  public LinePipeline(
      Inputs inputs,
      InputStream standardInput,
      byte separator,
      LineAnswerer<?> answerer,
      Printer printer,
      Output output) {
    this.inputs = inputs;
    this.standardInput = standardInput;
    this.separator = separator;
    this.answerer = answerer;
    this.printer = printer;
    this.output = output;
    this.delivery = new Delivery(answerer.effect());
  }

  public Counts counts() {
    return counts;
  }

  /**
   * Works until the input ends or {@link #stop} is called. After a failure, it first prints all
   * lines that the filter has answered.
   */
  public void run() throws InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(2, LinePipeline::daemon);
    Future<?> reading = threads.submit(this::readAll);
    Future<?> printing = threads.submit(this::printAll);
    // The threads end when their work is done.
    threads.shutdown();
    try {
      answerAll();
    } catch (RuntimeException | Error e) {
      finish(printing, e);
      throw e;
    }
    finish(printing, null);
    if (ended) {
      rethrowFailure(reading);
    }
  }

  /** Sends no more lines to the filter, and lets {@link #run} finish the lines already sent. */
  public void stop() {
    stopped = true;
    // Wakes a filter that waits for input. If the queue is full, the filter is not waiting.
    read.offer(Part.END);
  }

  /**
   * Creates a daemon thread: a read from a pipe cannot be interrupted, and must not keep the
   * process alive.
   */
  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "slotbloom-lines");
    thread.setDaemon(true);
    return thread;
  }

  private void finish(Future<?> printing, @Nullable Throwable earlier) throws InterruptedException {
    answered.put(Answered.END);
    try {
      rethrowFailure(printing);
    } catch (OutputException e) {
      OutputException failure = delivery.explain(e);
      if (earlier == null) {
        throw failure;
      }
      if (!failure.readerLeft() && earlier instanceof CommandException command) {
        // Report both the failure that ended the answers and the lines missing from the output.
        throw new CommandException(
            command.exitCode(), command.getMessage() + " " + failure.getMessage(), earlier);
      }
      earlier.addSuppressed(failure);
    } catch (RuntimeException e) {
      if (earlier == null) {
        throw e;
      }
      earlier.addSuppressed(e);
    }
  }

  private static void rethrowFailure(Future<?> task) throws InterruptedException {
    try {
      task.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw new IllegalStateException("A thread of the pipeline failed.", e.getCause());
    }
  }

  private @Nullable Void readAll() throws InterruptedException {
    try {
      for (String name : inputs.names()) {
        read(name);
      }
    } finally {
      read.put(Part.END);
    }
    return null;
  }

  private void read(String name) throws InterruptedException {
    try (InputStream stream = Inputs.open(name, standardInput)) {
      LineReader reader = new LineReader(stream, Inputs.inWords(name), separator);
      for (List<Line> lines = reader.next(); lines != null; lines = reader.next()) {
        for (int from = 0; from < lines.size(); from += BATCH_LINES) {
          List<Line> part = lines.subList(from, Math.min(from + BATCH_LINES, lines.size()));
          read.put(new Part(part, part.stream().mapToInt(Line::size).sum()));
        }
      }
    } catch (IOException e) {
      throw new CommandException(
          "Cannot read " + Inputs.inWords(name) + ": " + e.getMessage() + ".", e);
    }
  }

  private void answerAll() throws InterruptedException {
    while (!ended && !stopped && !printerLeft) {
      List<Line> batch = nextBatch();
      if (!batch.isEmpty()) {
        answerer.answer(batch, this::handOn);
      }
    }
  }

  private void handOn(List<Line> lines, List<Answer> answers) throws InterruptedException {
    delivery.answered(lines, answers);
    answered.put(new Answered(lines, answers));
  }

  private List<Line> nextBatch() throws InterruptedException {
    List<Line> batch = new ArrayList<>();
    int bytes = 0;
    Part part = read.take();
    while (part != null && !stopped && !printerLeft) {
      ended = part.isEnd();
      batch.addAll(part.lines());
      bytes += part.bytes();
      Part next = ended || bytes >= BATCH_BYTES ? null : read.peek();
      // More lines than that would take a second transaction.
      part = next == null || batch.size() + next.lines().size() > BATCH_LINES ? null : read.poll();
    }
    return batch;
  }

  private @Nullable Void printAll() throws InterruptedException {
    try {
      for (Answered next = answered.take(); !next.isEnd(); next = answered.take()) {
        print(next);
        if (answered.isEmpty()) {
          flush();
        }
      }
      flush();
      return null;
    } finally {
      printerLeft = true;
      // Wakes a filter that waits for input.
      read.offer(Part.END);
      // A thread that waits for room in the queue must not wait for a failed printer.
      answered.clear();
    }
  }

  private void flush() {
    output.flush();
    delivery.flushed();
  }

  private void print(Answered batch) {
    for (int i = 0; i < batch.lines().size(); i++) {
      delivery.printing(batch.lines().get(i), batch.answers().get(i));
      printer.print(batch.lines().get(i), batch.answers().get(i));
      counts.add(batch.lines().get(i), batch.answers().get(i));
    }
  }
}
