package io.github.slotbloom.internal.replace;

import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.engine.Rebuilder;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.journal.ImportRows;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Rebuilds filters by replacing their generations. */
public final class Rebuilding implements Rebuilder {

  private static final Logger log = LoggerFactory.getLogger(Rebuilding.class);

  private final FilterDirectory directory;
  private final Replacing replacing;

  public Rebuilding(FilterDirectory directory, FilterEngines engines) {
    this.directory = directory;
    this.replacing = new Replacing(directory, engines);
  }

  @Override
  public boolean rebuild(FilterRecord filter, BooleanSupplier stopped) {
    FilterRecord now = directory.require(filter);
    // Its own journal would no longer continue that of its source, so no delta would fit.
    if (directory.ask(tx -> ImportRows.isAsImported(tx, now.head(), now.id()))) {
      return false;
    }
    try {
      replace(now, stopped);
      log.info("filter {} was rebuilt because many of its keys were removed", filter.name());
      return true;
    } catch (ReplacementException e) {
      if (replacing.isUnderWay(filter.name())) {
        // Another process was faster.
        return false;
      }
      throw e;
    }
  }

  private void replace(FilterRecord filter, BooleanSupplier stopped) {
    // Nothing is more complete than its own hashes, so there is nothing to compare them with.
    replacing.replace(
        filter.name(),
        capacity(filter),
        new RetainedHashes(),
        ReplaceOptions.defaults()
            .forced()
            .onProgress(
                progress -> {
                  if (stopped.getAsBoolean()) {
                    throw new CancellationException(
                        "filter " + filter.name() + " was closed meanwhile");
                  }
                }));
  }

  /** The present one, unless the filter holds more keys already. */
  private static long capacity(FilterRecord filter) {
    GenerationRecord target = filter.manifest().target();
    FilterHead head = filter.head();
    return target != null
        ? target.capacity()
        : Math.max(head.capacity(), head.keysSet() - head.keysRemoved() + 1);
  }
}
