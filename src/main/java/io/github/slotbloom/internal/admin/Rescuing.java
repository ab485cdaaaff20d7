package io.github.slotbloom.internal.admin;

import io.github.slotbloom.Rescue;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.bits.Hashes;
import io.github.slotbloom.internal.store.catalog.ExpiryRows;
import io.github.slotbloom.internal.store.catalog.RescuedRows;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.report.RescuedKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Rescues keys of a block list: writes them to their table. The transaction may be repeated. */
public final class Rescuing {

  private static final String RESCUE = "have keys rescued";
  private static final String END = "have the rescue of keys ended";

  private final FilterDirectory directory;
  private final FilterRecord filter;

  public Rescuing(FilterDirectory directory, FilterRecord filter) {
    this.directory = directory;
    this.filter = filter;
  }

  /**
   * Rescues keys, all or none. Returns which of them were not rescued before.
   *
   * @throws InvalidParameterException if the rescue has already ended
   */
  public boolean[] rescue(long[] hashes, Rescue rescue) {
    return changed(RESCUE, tx -> rescue(tx, hashes, rescue));
  }

  /** Ends the rescue of keys. Returns which of them were rescued. */
  public boolean[] end(long[] hashes) {
    return changed(END, tx -> end(tx, hashes));
  }

  /**
   * Returns the rescued keys, oldest first.
   *
   * @throws io.github.slotbloom.error.FilterNotFoundException if the filter is gone
   */
  public List<RescuedKey> rescued() {
    long id = directory.require(filter).id();
    return directory.ask(tx -> RescuedRows.list(tx, id));
  }

  private <T> T changed(String what, Function<Tx, T> change) {
    List<T> results = new ArrayList<>();
    LockedStep.run(filter.name(), what, "try", () -> results.add(directory.ask(change)));
    return results.get(0);
  }

  private boolean[] rescue(Tx tx, long[] hashes, Rescue rescue) {
    directory.lockActive(tx, filter, RESCUE);
    Instant now = ExpiryRows.now(tx);
    Instant until = rescue.end(now).orElse(null);
    if (until != null && !until.isAfter(now)) {
      throw new InvalidParameterException(
          "A rescue until " + until + " has already ended by the database clock. Use a later end.");
    }
    Set<Long> before = RescuedRows.among(tx, filter.id(), hashes);
    long[] distinct = Arrays.stream(hashes).distinct().toArray();
    if (distinct.length > 0) {
      RescuedRows.put(tx, filter.id(), distinct, rescue.reason(), rescue.by().orElse(null), until);
    }
    return Hashes.test(hashes, before::add);
  }

  private boolean[] end(Tx tx, long[] hashes) {
    directory.lockActive(tx, filter, END);
    Set<Long> rescued = RescuedRows.among(tx, filter.id(), hashes);
    RescuedRows.delete(tx, filter.id(), hashes);
    return Hashes.test(hashes, rescued::remove);
  }
}
