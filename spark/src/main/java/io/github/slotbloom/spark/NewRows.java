package io.github.slotbloom.spark;

import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterUnavailableException;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.Function2;
import org.apache.spark.sql.Row;
import org.apache.spark.util.TaskCompletionListener;

/**
 * Leaves the rows of a partition whose keys are new. The number of the partition is that of the
 * Dataset, which a task does not know: where Spark joins partitions, one task has several.
 *
 * @param access to the filter
 * @param runId of the run to which the answers belong
 * @param keysPerTransaction of that run
 * @param column the place of the key in a row
 * @param partitions how many there are
 */
record NewRows(
    FilterAccess access, String runId, int keysPerTransaction, int column, int partitions)
    implements Function2<Integer, Iterator<Row>, Iterator<Row>> {

  @Override
  public Iterator<Row> call(Integer partition, Iterator<Row> rows) throws SQLException {
    OpenFilters.Shared shared = OpenFilters.ofThisJvm().take(access);
    TaskContext.get().addTaskCompletionListener(new Release(access));
    FilterRun run = new FilterRun(runId, keysPerTransaction);
    RecordedAnswers answers =
        new RecordedAnswers(
            shared.filter(),
            shared.bloom().admin(shared.filter().name()),
            shared.dataSource(),
            run);
    return new Chunks(rows, this, partition, answers);
  }

  /** Gives the filter back when the task ends, in whatever way. */
  private record Release(FilterAccess access) implements TaskCompletionListener {
    @Override
    public void onTaskCompletion(TaskContext context) {
      OpenFilters.ofThisJvm().release(access);
    }
  }

  /** Asks for the rows of a partition chunk by chunk. Holds one chunk. Not thread-safe. */
  private static final class Chunks implements Iterator<Row> {

    private final Iterator<Row> rows;
    private final NewRows task;
    private final int partition;
    private final RecordedAnswers answers;
    private final KeyType<Object> type;
    private final Queue<Row> ready = new ArrayDeque<>();
    private int number;
    private boolean ended;

    Chunks(Iterator<Row> rows, NewRows task, int partition, RecordedAnswers answers) {
      this.rows = rows;
      this.task = task;
      this.partition = partition;
      this.answers = answers;
      this.type = task.access().keys().keyType();
    }

    @Override
    public boolean hasNext() {
      while (ready.isEmpty() && !ended) {
        nextChunk();
      }
      return !ready.isEmpty();
    }

    @Override
    public Row next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      return ready.remove();
    }

    private void nextChunk() {
      List<Row> some = new ArrayList<>();
      List<Object> keys = new ArrayList<>();
      while (keys.size() < task.keysPerTransaction() && rows.hasNext()) {
        Row row = rows.next();
        some.add(row);
        keys.add(key(row));
      }
      ended = !rows.hasNext();
      Chunk chunk = Chunk.of(partition, task.partitions(), number++, ended, keys, type);
      boolean[] fresh = ask(chunk);
      for (int i = 0; i < fresh.length; i++) {
        if (fresh[i]) {
          ready.add(some.get(i));
        }
      }
    }

    private Object key(Row row) {
      Object value = row.get(task.column());
      if (value == null) {
        throw BitShape.nullKey(row.schema().fieldNames()[task.column()]);
      }
      return task.access().keys().key(value);
    }

    private boolean[] ask(Chunk chunk) {
      try {
        return answers.of(chunk);
      } catch (SQLException e) {
        throw new FilterUnavailableException(
            ("Run %s over filter %s: the answers of partition %s could not be recorded: %s"
                    + " The next attempt of the task continues with what is recorded.")
                .formatted(task.runId(), task.access().filter(), chunk.partition(), e.getMessage()),
            e);
      }
    }
  }
}
