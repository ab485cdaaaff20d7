package io.github.slotbloom.cli.command;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.cli.text.ChoiceName;
import io.github.slotbloom.cli.text.ErrorRate;
import io.github.slotbloom.cli.text.KeyCount;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.WhenFull;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "reserve", description = "Make a filter.")
public final class ReserveCommand extends FilterCommand {

  @Option(
      names = "--capacity",
      required = true,
      paramLabel = "N",
      converter = KeyCount.class,
      description = "How many distinct keys it is for. Leave a fifth of room.")
  private long capacity;

  @Option(
      names = "--fpp",
      paramLabel = "P",
      converter = ErrorRate.class,
      description =
          "The error rate when the filter is full: the share of the keys that were never"
              + " added but look as if they had been. Default: ${DEFAULT-VALUE}.")
  private double falsePositiveRate = FilterSpec.DEFAULT_FALSE_POSITIVE_RATE;

  @Option(
      names = "--layout",
      paramLabel = "LAYOUT",
      converter = ChoiceName.OfLayout.class,
      completionCandidates = ChoiceName.Layouts.class,
      description =
          "blocked (the default): all bits of a key are neighbors; standard: anywhere, for"
              + " somewhat fewer bits.")
  private Layout layout = Layout.BLOCKED;

  @Option(names = "--fixed", description = "Leave no room in the error rate for growing later.")
  private boolean fixed;

  @Option(
      names = "--retain-hashes",
      description =
          "Keep the hashes of all keys in the database, about 12 bytes a key. With them the"
              + " filter can be replaced by one of another size. Default: they are deleted after"
              + " two hours.")
  private boolean retainHashes;

  @ArgGroup private ExpiryOptions expiry = new ExpiryOptions();

  @Mixin private final RemovableOption removableOption = new RemovableOption();

  @ArgGroup(exclusive = false)
  private WindowOptions windowOptions = new WindowOptions();

  @Option(
      names = "--on-full",
      paramLabel = "WHAT",
      converter = ChoiceName.OfWhenFull.class,
      completionCandidates = ChoiceName.WhenFulls.class,
      description =
          "What happens to new keys when it is full. grow (the default): it gets room for"
              + " twice as many; refuse: they are rejected; degrade (the default with --fixed): they"
              + " are added, and the error rate rises.")
  private @Nullable WhenFull onFull;

  @Option(
      names = "--hash",
      paramLabel = "HASH",
      converter = HashName.class,
      completionCandidates = HashName.All.class,
      description =
          "xxh3_64 (the default), the fastest; murmur3_128: its first 64 bits, as other systems have"
              + " it; siphash24, for keys that others choose; sha256: the same, and what sql"
              + " --function needs.")
  private HashAlgorithm hash = HashAlgorithm.XXH3_64;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description =
          "Seed of the hash function. Default: 0, and with siphash24 and sha256 one that is drawn at"
              + " random and kept secret. Other users of this machine can read arguments.")
  private @Nullable Long seed;

  @Option(
      names = "--if-not-exists",
      description = "Do nothing if a filter of that name exists and has the same parameters.")
  private boolean ifNotExists;

  @Mixin private final KeyOptions keyOptions = new KeyOptions();

  @Option(
      names = "--print-sql",
      description =
          "Keep a number for the filter, and print the statements that make its tables instead. Once"
              + " they were run, this command needs no right to make tables.")
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
      spec.whenFull(onFull);
    }
    if (expiresAt != null) {
      spec.expiresAt(expiresAt);
    }
    return removableOption.build(spec);
  }
}
