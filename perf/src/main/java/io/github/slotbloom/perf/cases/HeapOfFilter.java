package io.github.slotbloom.perf.cases;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.server.DatabaseAccount;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Measures the heap of filters in a JVM of its own, with the serial collector. The default one
 * gives each large array whole regions, so that a filter of 1.2 MB would seem to take 2. The serial
 * one counts the buffers of threads and leaves a few percent of garbage where it is, unless it is
 * told not to.
 */
public final class HeapOfFilter {

  /** A filter in the same schema, which is opened before the one that is measured. */
  static final String FIRST = "first";

  static final int KEYS_OF_FIRST = 1_000;

  private static final String OURS = "ours";
  private static final String PEERS = "peers";

  private static final List<String> OPTIONS =
      List.of(
          "-Xmx4g",
          "-XX:+UseSerialGC",
          "-XX:MarkSweepDeadRatio=0",
          "-XX:-UseTLAB",
          "-Dorg.slf4j.simpleLogger.defaultLogLevel=error");

  private HeapOfFilter() {}

  /** {@return the bytes of some of our filters once they are open} The first one must exist. */
  static List<Long> ours(Bench bench, DatabaseAccount account, List<String> filters)
      throws Exception {
    Path file = bench.files().resolve("account");
    account.write(file);
    List<String> arguments = new ArrayList<>(List.of(OURS, file.toString()));
    arguments.addAll(filters);
    return run(arguments);
  }

  /** {@return the bytes of each peer in memory} */
  static List<Long> peers(long capacity, double falsePositiveRate) throws Exception {
    return run(List.of(PEERS, Long.toString(capacity), Double.toString(falsePositiveRate)));
  }

  private static List<Long> run(List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(OPTIONS);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(HeapOfFilter.class.getName());
    command.addAll(arguments);
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int exitCode = process.waitFor();
    if (exitCode != 0) {
      throw new IllegalStateException(command + " ended with " + exitCode + ".");
    }
    return answer.lines().map(Long::valueOf).toList();
  }

  /** Prints the bytes of one filter a line. */
  public static void main(String[] args) throws Exception {
    if (args[0].equals(OURS)) {
      try (HikariDataSource pool = DatabaseAccount.read(Path.of(args[1])).pool(2);
          SlotBloom bloom = SlotBloom.on(pool)) {
        for (String filter : List.of(args).subList(2, args.length)) {
          System.out.println(
              bytes(
                  () -> bloom.open(FIRST, KeyType.text()),
                  () -> bloom.open(filter, KeyType.text())));
        }
      }
    } else {
      long capacity = Long.parseLong(args[1]);
      double falsePositiveRate = Double.parseDouble(args[2]);
      for (MemoryPeers peer : MemoryPeers.values()) {
        System.out.println(
            bytes(
                () -> peer.create(KEYS_OF_FIRST, falsePositiveRate),
                () -> peer.create(capacity, falsePositiveRate)));
      }
    }
  }

  /** The first filter is a small one. It makes the classes and caches that all filters share. */
  private static long bytes(Callable<?> first, Callable<?> creation) throws Exception {
    Object small = first.call();
    long before = HeapUse.bytes();
    Object filter = creation.call();
    try {
      return HeapUse.bytes() - before;
    } finally {
      Reference.reachabilityFence(small);
      Reference.reachabilityFence(filter);
    }
  }
}
