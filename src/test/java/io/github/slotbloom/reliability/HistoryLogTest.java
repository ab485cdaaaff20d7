package io.github.slotbloom.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.reliability.Operation.Answer;
import io.github.slotbloom.reliability.Operation.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What was logged is read back, completed or not. */
class HistoryLogTest {

  @TempDir private Path directory;

  @Test
  void operationsAreReadBack() throws IOException {
    HistoryLog log = new HistoryLog(directory, "one");
    int batch = log.nextBatch();
    int add = log.begin(Kind.ADD, Long.MIN_VALUE, 0, batch);
    int ask = log.begin(Kind.ASK, Long.MAX_VALUE, 60_000, 0);
    log.complete(ask, Answer.NO);
    log.complete(add, Answer.NEW);
    log.begin(Kind.CLEAR, -1, 0, 0);

    List<Operation> read = HistoryLog.readAll(directory);

    assertThat(read).extracting(Operation::kind).containsExactly(Kind.ADD, Kind.ASK, Kind.CLEAR);
    assertThat(read)
        .extracting(Operation::answer)
        .containsExactly(Answer.NEW, Answer.NO, Answer.NONE);
    assertThat(read).extracting(Operation::key).startsWith(Long.MIN_VALUE, Long.MAX_VALUE);
    assertThat(read.get(1).boundNanos()).isEqualTo(60_000_000_000L);
    assertThat(read.get(0).invoked()).isLessThanOrEqualTo(read.get(1).invoked());
    assertThat(read.get(1).completed()).isLessThanOrEqualTo(read.get(0).completed());
    assertThat(read.get(2).completed()).isEqualTo(Operation.NEVER);
    assertThat(read.get(0).batch()).isNotZero();
  }

  @Test
  void batchesOfDifferentLogsDiffer() throws IOException {
    for (String name : List.of("one", "two")) {
      HistoryLog log = new HistoryLog(directory, name);
      log.begin(Kind.ADD, 1, 0, log.nextBatch());
    }
    assertThat(HistoryLog.readAll(directory)).extracting(Operation::batch).doesNotHaveDuplicates();
  }

  @Test
  void aLogContinuesInFurtherFiles() throws IOException {
    HistoryLog log = new HistoryLog(directory, "long");
    for (int i = 0; i < 150_000; i++) {
      log.complete(log.begin(Kind.ASK, i, 0, 0), Answer.YES);
    }
    List<Operation> read = HistoryLog.readAll(directory);
    assertThat(read).hasSize(150_000);
    assertThat(read.stream().filter(o -> o.answer() == Answer.YES)).hasSize(150_000);
  }
}
