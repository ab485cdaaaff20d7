package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.Opened;
import io.github.slotbloom.perf.measure.Checks;
import io.github.slotbloom.perf.measure.Crowd;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.peer.GroupCommit;
import io.github.slotbloom.perf.peer.JdbcFloor;
import io.github.slotbloom.perf.server.DatabaseServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Appends to the floor as often as ours commits. Afterwards, outside the measured time, each trial
 * checks that all rows and bytes are there.
 */
final class FloorTrials implements AutoCloseable {

  private final JdbcFloor floor;
  private final Checks checks;
  private final Duration time;
  private final Opened opened = new Opened();
  private final List<JdbcFloor.Appender> appenders = new ArrayList<>();
  private final GroupCommit committer;
  private final AtomicLong next = new AtomicLong();

  /**
   * Creates an empty floor.
   *
   * @param connections the most threads that have a connection each
   */
  FloorTrials(DatabaseServer server, String schema, Checks checks, int connections, Duration time)
      throws SQLException {
    this.checks = checks;
    this.time = time;
    floor = new JdbcFloor(server, schema);
    for (int i = 0; i < connections; i++) {
      appenders.add(opened.keep(floor.appender()));
    }
    JdbcFloor.Appender ofCommitter = opened.keep(floor.appender());
    committer = opened.keep(new GroupCommit(ofCommitter::append));
  }

  /** {@return keys per second of one thread with one connection} */
  double inBatches(int batch) throws Exception {
    return byConnections(1, batch);
  }

  /** {@return keys per second of threads that add some keys a call, each with its connection} */
  double byConnections(int threads, int batch) throws Exception {
    return batch
        * rate(
            threads,
            thread -> {
              JdbcFloor.Appender appender = appenders.get(thread);
              long[] keys = new long[batch];
              return () -> {
                long first = next.getAndAdd(batch);
                for (int i = 0; i < batch; i++) {
                  keys[i] = Keys.scrambled(first + i);
                }
                appender.append(keys, batch);
              };
            });
  }

  /** {@return keys per second of threads that add one key a call, committed by one more thread} */
  double byCommitter(int threads) throws Exception {
    return rate(threads, thread -> () -> committer.add(Keys.scrambled(next.getAndIncrement())));
  }

  private double rate(int threads, Crowd.Preparation preparation) throws Exception {
    double rate = Crowd.rate(threads, time, preparation);
    floor.requireStored(checks);
    return rate;
  }

  @Override
  public void close() throws Exception {
    opened.close();
  }
}
