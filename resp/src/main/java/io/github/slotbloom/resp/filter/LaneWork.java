package io.github.slotbloom.resp.filter;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.RemovableFilter;
import io.github.slotbloom.error.FilterClosedException;
import io.github.slotbloom.error.FilterFullException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.WriteFailedException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Does what is asked of one filter, for several commands at once where that is possible. */
final class LaneWork {

  private final OpenFilters open;
  private final Lane lane;

  LaneWork(OpenFilters open, Lane lane) {
    this.open = open;
    this.lane = lane;
  }

  /** Completes all of them, whatever happens. */
  void run(List<Waiting> batch) {
    try {
      runOrAgain(batch);
    } catch (Throwable e) {
      batch.forEach(waiting -> waiting.fail(e));
    }
  }

  private void runOrAgain(List<Waiting> batch) {
    OpenFilter found = find(batch.get(0));
    if (found == null) {
      missing(batch);
      return;
    }
    try {
      run(found, batch);
    } catch (FilterNotFoundException | FilterClosedException e) {
      // It was dropped, renamed or expired elsewhere, and another one may have its name.
      open.forget(found);
      OpenFilter other = find(batch.get(0));
      if (other == null) {
        missing(batch);
      } else {
        run(other, batch);
      }
    }
  }

  private @Nullable OpenFilter find(Waiting first) {
    OpenFilter found = open.find(lane.name());
    return found == null && first.make() != null
        ? open.make(lane.name(), first.make().get())
        : found;
  }

  private void missing(List<Waiting> batch) {
    if (lane.kind() == Lane.Kind.ASK) {
      answerNo(batch);
      return;
    }
    batch.get(0).fail(new FilterNotFoundException("There is no filter " + lane.name() + "."));
    List<Waiting> others = batch.subList(1, batch.size());
    if (!others.isEmpty()) {
      // One of them may make it.
      run(others);
    }
  }

  private static void answerNo(List<Waiting> batch) {
    for (Waiting waiting : batch) {
      waiting.answers().complete(Answers.all(new boolean[waiting.keys().size()]));
    }
  }

  private void run(OpenFilter found, List<Waiting> batch) {
    if (Family.of(found.status()) != lane.family()) {
      if (lane.kind() == Lane.Kind.ASK) {
        answerNo(batch);
        return;
      }
      throw new WrongTypeException();
    }
    if (batch.size() == 1 && lane.kind() == Lane.Kind.ADD) {
      batch.get(0).answers().complete(addWhatFits(found.filter(), batch.get(0).keys()));
      return;
    }
    try {
      tell(batch, call(found.filter(), batch.stream().flatMap(w -> w.keys().stream()).toList()));
    } catch (FilterFullException e) {
      // Nothing of it is recorded, and some of these commands may have room.
      for (Waiting waiting : batch) {
        waiting.answers().complete(addWhatFits(found.filter(), waiting.keys()));
      }
    }
  }

  private boolean[] call(BloomFilter<byte[]> filter, List<byte[]> keys) {
    return switch (lane.kind()) {
      case ADD -> filter.addEach(keys);
      case ASK -> filter.mightContainEach(keys);
      // Its family says that keys can be removed.
      case REMOVE -> ((RemovableFilter<byte[]>) filter).removeEach(keys);
    };
  }

  private static void tell(List<Waiting> batch, boolean[] answers) {
    int from = 0;
    for (Waiting waiting : batch) {
      int to = from + waiting.keys().size();
      waiting.answers().complete(Answers.all(Arrays.copyOfRange(answers, from, to)));
      from = to;
    }
  }

  /**
   * Adds keys up to the first one that a full filter has no room for, as Redis does. Halves what is
   * added at once as long as it does not fit.
   */
  private static Answers addWhatFits(BloomFilter<byte[]> filter, List<byte[]> keys) {
    boolean[] answers = new boolean[keys.size()];
    int atOnce = Math.min(keys.size(), BloomFilter.MAX_KEYS_PER_TRANSACTION);
    int done = 0;
    while (done < answers.length) {
      List<byte[]> part = keys.subList(done, Math.min(answers.length, done + atOnce));
      try {
        boolean[] fresh = filter.addEach(part);
        System.arraycopy(fresh, 0, answers, done, fresh.length);
        done += fresh.length;
      } catch (FilterFullException e) {
        if (part.size() == 1) {
          return new Answers(Arrays.copyOf(answers, done), true);
        }
        atOnce = part.size() / 2;
      } catch (WriteFailedException e) {
        throw e.afterDurable(done);
      }
    }
    return Answers.all(answers);
  }
}
