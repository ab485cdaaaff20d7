package io.github.slotbloom.internal.mirror;

import io.github.slotbloom.internal.background.Background;
import io.github.slotbloom.internal.store.journal.TailReader;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.store.session.KeptSession;
import io.github.slotbloom.internal.store.session.Servers;
import io.github.slotbloom.internal.time.Moment;
import io.github.slotbloom.internal.time.TimeSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Refreshes the mirrors of a process that probably have everything already. Finds out in one
 * statement for all that wait, which takes little longer than for one. Thread-safe.
 */
public final class QuietMirrors {

  /** One of the mirrors. */
  interface Member {

    long filterId();

    /**
     * Takes in where the journal ended at some moment after {@code begun}.
     *
     * @param end null if that has to be found out otherwise
     * @return completes when the mirror has everything that was committed by {@code begun}
     */
    CompletableFuture<Void> onEnd(TailReader.@Nullable End end, Moment begun);

    /** Makes the next refresh a read for this mirror alone. */
    void noLongerQuiet();
  }

  private final Servers servers;
  private final KeptSession session;
  private final TimeSource time;
  private final SharedRead<Member> read;

  public QuietMirrors(Servers servers, Background background, TimeSource time) {
    this.servers = servers;
    this.session = servers.primary().keptSession(time::nanoTime);
    this.time = time;
    this.read =
        new SharedRead<>("reading ends of journals", background, this::readEnds, session::close);
  }

  /**
   * Starts or joins a refresh of a mirror. The future completes when the mirror has everything that
   * was committed before this call, or completes exceptionally.
   */
  CompletableFuture<Void> refresh(Member mirror) {
    return read.join(mirror);
  }

  private Function<Member, CompletableFuture<Void>> readEnds(Set<Member> mirrors) {
    Moment begun = time.now();
    List<Long> filterIds = mirrors.stream().map(Member::filterId).distinct().toList();
    try {
      Map<Long, TailReader.End> ends = servers.read(session, tx -> TailReader.ends(tx, filterIds));
      return mirror -> mirror.onEnd(ends.get(mirror.filterId()), begun);
    } catch (DatabaseFailure e) {
      if (e.answered()) {
        // Perhaps only one of the filters is to blame.
        mirrors.forEach(Member::noLongerQuiet);
      }
      throw e;
    }
  }
}
