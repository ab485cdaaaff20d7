package io.github.slotbloom.internal.admin;

import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.engine.Rebuilder;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Builds filters anew by replacing their generations. */
public final class Rebuilding implements Rebuilder {

  private static final Logger log = LoggerFactory.getLogger(Rebuilding.class);

  private final Replacing replacing;

  public Rebuilding(FilterDirectory directory, FilterEngines engines) {
    this.replacing = new Replacing(directory, engines);
  }

  @Override
  public boolean rebuild(FilterRecord filter, BooleanSupplier stopped) {
    if (replacing.isUnderWay(filter.name())) {
      return false;
    }
    log.info("filter {} is built anew, since many of its keys were removed", filter.name());
    replacing.replace(
        filter.name(),
        filter.set().target() == null ? filter.head().capacity() : filter.set().target().capacity(),
        new RetainedHashes(),
        ReplaceOptions.defaults()
            .onProgress(
                progress -> {
                  if (stopped.getAsBoolean()) {
                    throw new CancellationException(
                        "filter " + filter.name() + " was closed meanwhile");
                  }
                }));
    return true;
  }
}
