package io.github.slotbloom.cli.line;

import java.util.concurrent.atomic.AtomicLong;

/** Counts the work of a pipeline. Other threads may read it while the pipeline works. */
public final class Counts {

  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong yes = new AtomicLong();
  private final AtomicLong no = new AtomicLong();
  private final AtomicLong withoutKey = new AtomicLong();

  public void add(Line line, Answer answer) {
    bytes.addAndGet(line.size());
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
}
