package io.github.slotbloom.cli.command;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.cli.text.ChoiceName;
import io.github.slotbloom.cli.text.FalsePositiveRate;
import io.github.slotbloom.cli.text.KeyCount;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.OnFull;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "reserve", description = "Create a filter.")
public final class ReserveCommand extends FilterCommand {

  @Option(
      names = "--capacity",
      required = true,
      paramLabel = "N",
      converter = KeyCount.class,
      description = "Capacity in distinct keys. Plan for 20 %% more than you expect.")
  private long capacity;

  @Option(
      names = "--fpp",
      paramLabel = "P",
      converter = FalsePositiveRate.class,
      description =
          "False positive rate at capacity: the share of keys that were never added but count as"
              + " seen. Default: ${DEFAULT-VALUE}.")
  private double falsePositiveRate = FilterSpec.DEFAULT_FALSE_POSITIVE_RATE;

  @Option(
      names = "--layout",
      paramLabel = "LAYOUT",
      converter = ChoiceName.OfLayout.class,
      completionCandidates = ChoiceName.Layouts.class,
      description =
          "blocked (the default): all bits of a key are in one block of 512 bits, which is faster;"
              + " standard: they are anywhere, which takes somewhat fewer bits.")
  private Layout layout = Layout.BLOCKED;

  @Option(
      names = "--fixed",
      description =
          "Spend the whole false positive rate on the first generation, which takes fewer bits. The"
              + " filter can then never grow.")
  private boolean fixed;

  @Option(
      names = "--retain-hashes",
      description =
          "Keep the hashes of all keys in the database, about 12 bytes per key. The filter can then"
              + " be replaced by one of another size without its keys. Default: hashes are deleted"
              + " after two hours.")
  private boolean retainHashes;

  @ArgGroup private ExpiryOptions expiry = new ExpiryOptions();

  @Mixin private final RemovableOption removableOption = new RemovableOption();

  @ArgGroup(exclusive = false)
  private WindowOptions windowOptions = new WindowOptions();

  @Option(
      names = "--on-full",
      paramLabel = "WHAT",
      converter = ChoiceName.OfOnFull.class,
      completionCandidates = ChoiceName.OnFulls.class,
      description =
          "What to do when the filter is full. grow (the default): double its capacity; refuse:"
              + " reject new keys; degrade (the default with --fixed): add them, and let the false"
              + " positive rate rise.")
  private @Nullable OnFull onFull;

  @Option(
      names = "--hash",
      paramLabel = "HASH",
      converter = HashName.class,
      completionCandidates = HashName.All.class,
      description =
          "Hash function. xxh3_64 (the default): the fastest; murmur3_128: its first 64 bits, which"
              + " other systems compute too; siphash24: for keys that others choose; sha256: also"
              + " for such keys, and required by slotbloom function.")
  private HashAlgorithm hash = HashAlgorithm.XXH3_64;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description =
          "Seed of the hash function. Default: 0; with siphash24 and sha256 a random one that is"
              + " kept secret. Other users of this machine can read arguments.")
  private @Nullable Long seed;

  @Option(
      names = "--if-not-exists",
      description = "Do nothing if a filter of this name exists with the same parameters.")
  private boolean ifNotExists;

  @Mixin private final KeyOptions keyOptions = new KeyOptions();

  @Option(
      names = "--print-sql",
      description =
          "Reserve a number for the filter, and print the statements that create its tables. After"
              + " you run them, this command needs no right to create tables.")
  private boolean printSql;

  /** Fails early if the numbers do not fit together. */
  @Override
  void prepare() {
    FilterSpec<?> unused = spec(null);
  }

  @Override
  int run(Session session, Output output) {
    FilterSpec<?> spec = spec(expiry.moment(session.bloom()));
    if (printSql) {
      output.println(session.makingTables(() -> session.bloom().reserveSql(name(), spec)));
      return ExitCode.DONE;
    }
    session.makingTables(() -> reserve(session, spec)).close();
    return ExitCode.DONE;
  }

  private BloomFilter<?> reserve(Session session, FilterSpec<?> spec) {
    FilterOptions options = session.options().withoutMirror();
    return ifNotExists
        ? session.bloom().openOrReserve(name(), spec, options)
        : session.bloom().reserve(name(), spec, options);
  }

  private FilterSpec<?> spec(@Nullable Instant expiresAt) {
    FilterSpec.Builder<?> spec =
        FilterSpec.builder(keyOptions.format().type())
            .capacity(capacity)
            .falsePositiveRate(falsePositiveRate)
            .layout(layout)
            .hash(hash);
    if (seed != null) {
      spec.seed(seed);
    }
    if (fixed) {
      spec.fixed();
    }
    if (retainHashes) {
      spec.retainHashes();
    }
    windowOptions.applyTo(spec);
    if (onFull != null) {
      spec.onFull(onFull);
    }
    if (expiresAt != null) {
      spec.expiresAt(expiresAt);
    }
    return removableOption.build(spec);
  }
}
