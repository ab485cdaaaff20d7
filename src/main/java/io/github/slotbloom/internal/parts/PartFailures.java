package io.github.slotbloom.internal.parts;

import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.internal.parts.KeysByPart.Share;
import io.github.slotbloom.internal.sql.Quoted;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Makes one exception of those of several parts. */
public final class PartFailures {

  private PartFailures() {}

  /**
   * What is known of the keys of one part.
   *
   * @param share the keys
   * @param failure what the part threw; null if all its keys are durable
   */
  public record Written(Share<?> share, @Nullable Throwable failure) {

    /** Returns how many of the keys, from the first one on, are durable. */
    private int durable() {
      int most = share.keys().size();
      if (failure == null) {
        return most;
      }
      return failure instanceof WriteFailedException e ? Math.min(most, e.durableKeys()) : 0;
    }

    /** Returns the place in the whole list of the first key that may be missing. */
    private int firstNotDurable() {
      int durable = durable();
      return durable < share.keys().size() ? share.place(durable) : Integer.MAX_VALUE;
    }

    /** Returns true if certainly no key is recorded from that place in the whole list on. */
    private boolean nothingFrom(int place) {
      int durable = durable();
      return (durable == 0 || share.place(durable - 1) < place) && (failure == null || isCertain());
    }

    private boolean isCertain() {
      return failure instanceof WriteFailedException e
          ? e.outcome() == Outcome.NOT_RECORDED
          : refused();
    }

    /** Returns true if the part took none of the keys, for a reason that says so. */
    private boolean refused() {
      return failure instanceof SlotBloomException
          && !(failure instanceof WriteFailedException)
          && !(failure instanceof FilterUnavailableException);
    }
  }

  /**
   * Returns the first failure, with the others as suppressed ones.
   *
   * @param failures in the order of the parts; null where a part did its work
   * @return null if there is none
   */
  public static @Nullable Throwable first(List<@Nullable Throwable> failures) {
    Throwable first = null;
    for (Throwable failure : failures) {
      if (first == null) {
        first = failure;
      } else if (failure != null && failure != first) {
        first.addSuppressed(failure);
      }
    }
    return first;
  }

  /**
   * Returns the exception for a list of keys of several parts, some of which failed. Its {@link
   * WriteFailedException#durableKeys} is that of the whole list: other parts may have recorded keys
   * behind the first one that is missing.
   *
   * @param set the name of all parts together
   * @param partOfFirst the name of the first part that failed
   * @param written what came of each part that has keys
   */
  public static Throwable ofWrite(String set, String partOfFirst, List<Written> written) {
    Throwable first =
        Objects.requireNonNull(
            first(written.stream().<@Nullable Throwable>map(Written::failure).toList()));
    if (!(first instanceof Exception) || written.stream().allMatch(Written::refused)) {
      return first;
    }
    int keys = written.stream().mapToInt(part -> part.share().keys().size()).sum();
    int durable = written.stream().mapToInt(Written::firstNotDurable).reduce(keys, Math::min);
    boolean certain = written.stream().allMatch(part -> part.nothingFrom(durable));
    long failed = written.stream().filter(part -> part.failure() != null).count();
    return new WriteFailedException(
        partOfFirst,
        certain ? Outcome.NOT_RECORDED : Outcome.UNKNOWN,
        durable,
        "Of filter %s %s of %s parts failed. The first %s keys of the list are durable; %s. The same call again is safe. Part %s: %s"
            .formatted(
                Quoted.name(set),
                failed,
                written.size(),
                durable,
                certain
                    ? "none of the others is"
                    : "of the others some may be, and nobody was told what they were",
                Quoted.name(partOfFirst),
                Objects.requireNonNullElse(first.getMessage(), first.toString())),
        first);
  }
}
