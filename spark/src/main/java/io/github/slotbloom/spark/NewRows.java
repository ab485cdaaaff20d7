package io.github.slotbloom.spark;

import java.sql.SQLException;
import java.util.Iterator;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.Function2;
import org.apache.spark.sql.Row;
import org.apache.spark.util.TaskCompletionListener;

/**
 * Leaves the rows of a partition whose keys are new. The number of the partition is that of the
 * Dataset, which a task does not know by itself: where Spark joins partitions, one task has
 * several.
 *
 * @param access to the filter
 * @param run to which the answers belong
 * @param column the place of the key in a row
 * @param partitions how many there are
 */
record NewRows(FilterAccess access, FilterRun run, int column, int partitions)
    implements Function2<Integer, Iterator<Row>, Iterator<Row>> {

  @Override
  public Iterator<Row> call(Integer partition, Iterator<Row> rows) throws SQLException {
    OpenFilters.Shared shared = OpenFilters.ofThisJvm().take(access);
    TaskContext.get().addTaskCompletionListener(new Release(access));
    return new NewRowIterator(
        rows, this, partition, new RecordedAnswers(shared.filter(), shared.dataSource(), run));
  }

  /** Gives the filter back when the task ends, in whatever way. */
  private record Release(FilterAccess access) implements TaskCompletionListener {
    @Override
    public void onTaskCompletion(TaskContext context) {
      OpenFilters.ofThisJvm().release(access);
    }
  }
}
