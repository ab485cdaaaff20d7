package io.github.slotbloom.cli.line;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the work of a pipeline. Other threads may read it while the pipeline works. */
public final class Counts {

  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong yes = new AtomicLong();
  private final AtomicLong no = new AtomicLong();
  private final AtomicLong withoutKey = new AtomicLong();
  private final AtomicLong carriageReturns = new AtomicLong();

  public void add(Line line, Answer answer) {
    bytes.addAndGet(line.size());
    if (line.endsWithCarriageReturn()) {
      carriageReturns.incrementAndGet();
    }
    switch (answer) {
      case YES -> yes.incrementAndGet();
      case NO -> no.incrementAndGet();
      case WITHOUT_KEY -> withoutKey.incrementAndGet();
    }
  }

  public long bytes() {
    return bytes.get();
  }

  public long lines() {
    return yes() + no() + withoutKey();
  }

  public long yes() {
    return yes.get();
  }

  public long no() {
    return no.get();
  }

  public long withoutKey() {
    return withoutKey.get();
  }

  /** Returns what to say of the ends of the lines; empty if they are as usual. */
  public Optional<String> hint() {
    return carriageReturns.get() > lines() / 2
        ? Optional.of(
            "Most lines end with a carriage return. It is part of the key, so the same key without"
                + " it is a different key. To remove it: tr -d '\\r"
                + "' <FILE | slotbloom ...")
        : Optional.empty();
  }
}
