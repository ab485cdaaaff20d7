package io.github.slotbloom.reliability;

import static org.awaitility.Awaitility.await;

import io.github.slotbloom.testing.FaultyNetwork;
import io.github.slotbloom.testing.JavaProcess;
import io.github.slotbloom.testing.TestSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;

/** A place in a storm: one process at a time, behind a network of its own. */
final class StormWorker implements AutoCloseable {

  private static final int[] POOL_SIZES = {1, 2, 4};

  private final int number;
  private final TestSchema schema;
  private final FaultyNetwork network;
  private final Path directory;
  private final StormPlan plan;
  private final Random random;
  private final List<String> complaints = new ArrayList<>();
  private JavaProcess process;
  private boolean ready;
  private int incarnation;

  StormWorker(
      int number,
      TestSchema schema,
      FaultyNetwork network,
      Path directory,
      StormPlan plan,
      Random random)
      throws IOException {
    this.number = number;
    this.schema = schema;
    this.network = network;
    this.directory = directory;
    this.plan = plan;
    this.random = random;
    process = launch();
  }

  FaultyNetwork network() {
    return network;
  }

  JavaProcess process() {
    return process;
  }

  /** SIGKILL, and another one in its place. */
  void replace() throws IOException, InterruptedException {
    process.kill();
    listen();
    ready = false;
    network.heal();
    network.cutAll();
    process = launch();
  }

  private JavaProcess launch() throws IOException {
    StormPlan next =
        new StormPlan(
            plan.histories(),
            "w" + number + "." + incarnation++,
            plan.filter(),
            random.nextLong(),
            plan.threads(),
            plan.boundMillis(),
            plan.begun(),
            POOL_SIZES[random.nextInt(POOL_SIZES.length)],
            plan.removable(),
            plan.eventsFromMillis());
    return JavaProcess.start(
        StormProcess.class,
        directory.resolve("worker-" + number + ".log"),
        Map.of(
            StormProcess.URL, network.url(schema.name()),
            StormProcess.USER, schema.owner().user(),
            StormProcess.PASSWORD, schema.owner().password()),
        next.arguments());
  }

  private void listen() {
    for (String line : process.heard()) {
      if (line.equals(StormProcess.READY)) {
        ready = true;
      } else {
        complaints.add("Worker " + number + " said: " + line);
      }
    }
  }

  /** Waits until the process that is there now is under way. */
  void awaitReady(Duration atMost) {
    try {
      await()
          .atMost(atMost)
          .until(
              () -> {
                listen();
                return ready || !process.isAlive();
              });
    } catch (ConditionTimeoutException e) {
      complaints.add("Worker " + number + " did not begin:\n" + threads());
    }
  }

  /** Lets the process end on its own; one that is still opening the filter must manage to first. */
  void end(Duration atMost) {
    awaitReady(atMost);
    process.closeInput();
    try {
      await().atMost(atMost).until(() -> !process.isAlive());
      if (process.exitValue() != 0) {
        complaints.add(
            "Worker " + number + " ended with " + process.exitValue() + ":\n" + process.log());
      }
    } catch (ConditionTimeoutException e) {
      complaints.add("Worker " + number + " did not end:\n" + threads());
    }
    listen();
  }

  private String threads() {
    try {
      return process.threads();
    } catch (IOException | InterruptedException e) {
      return "its threads are not known: " + e;
    }
  }

  /** What it, and those before it, said or did that they should not. */
  List<String> complaints() throws IOException {
    List<String> all = new ArrayList<>(complaints);
    try (Stream<String> log = Files.lines(directory.resolve("worker-" + number + ".log"))) {
      log.filter(line -> line.contains("] ERROR ") || line.contains("leak"))
          .map(line -> "Worker " + number + " logged: " + line)
          .forEach(all::add);
    }
    return all;
  }

  @Override
  public void close() throws IOException {
    process.close();
    network.close();
  }
}
