package io.github.slotbloom.reliability;

import io.github.slotbloom.reliability.Operation.Answer;
import io.github.slotbloom.reliability.Operation.Kind;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What one thread did, in files that are mapped into memory: what was written before a SIGKILL is
 * in them. Each operation is written before it begins, and completed in its place. Used by one
 * thread.
 */
final class HistoryLog {

  private static final String SUFFIX = ".history";
  private static final int RECORD = 32;
  private static final int RECORDS_PER_FILE = 1 << 16;
  private static final int KEY = 0;
  private static final int INVOKED = 8;
  private static final int COMPLETED = 16;
  private static final int BATCH = 24;
  private static final int META = 28;
  private static final int ANSWER_SHIFT = 8;
  private static final int BOUND_SHIFT = 16;
  private static final VarHandle INT =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Path directory;
  private final String name;
  private final List<ByteBuffer> files = new ArrayList<>();
  private int begun;
  private int batches;

  HistoryLog(Path directory, String name) {
    this.directory = directory;
    this.name = name;
  }

  /** A number for the keys of one transaction. */
  int nextBatch() {
    return ++batches;
  }

  /** Writes that an operation begins now; returns its place. */
  int begin(Kind kind, long key, int boundMillis, int batch) throws IOException {
    int place = begun++;
    if (place % RECORDS_PER_FILE == 0) {
      files.add(map(place / RECORDS_PER_FILE));
    }
    ByteBuffer file = file(place);
    int at = offset(place);
    file.putLong(at + KEY, key);
    file.putInt(at + BATCH, batch);
    file.putLong(at + INVOKED, System.nanoTime());
    INT.setRelease(file, at + META, (kind.ordinal() + 1) | boundMillis << BOUND_SHIFT);
    VarHandle.fullFence();
    return place;
  }

  /** Writes that the operation at that place ended now. */
  void complete(int place, Answer answer) {
    ByteBuffer file = file(place);
    int at = offset(place);
    file.putLong(at + COMPLETED, System.nanoTime());
    int meta = (int) INT.get(file, at + META);
    INT.setRelease(file, at + META, meta | answer.ordinal() << ANSWER_SHIFT);
  }

  private ByteBuffer map(int number) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            directory.resolve(name + "." + number + SUFFIX),
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      return channel
          .map(MapMode.READ_WRITE, 0, (long) RECORD * RECORDS_PER_FILE)
          .order(ByteOrder.LITTLE_ENDIAN);
    }
  }

  private ByteBuffer file(int place) {
    return files.get(place / RECORDS_PER_FILE);
  }

  private static int offset(int place) {
    return place % RECORDS_PER_FILE * RECORD;
  }

  /** Everything that was written into the directory, by whomever. */
  static List<Operation> readAll(Path directory) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(directory)) {
      files = all.filter(file -> file.toString().endsWith(SUFFIX)).sorted().toList();
    }
    List<String> names = files.stream().map(HistoryLog::nameOf).distinct().toList();
    List<Operation> operations = new ArrayList<>();
    for (Path file : files) {
      long log = names.indexOf(nameOf(file)) + 1L;
      read(
          ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN),
          log,
          operations);
    }
    return operations;
  }

  private static String nameOf(Path file) {
    String withNumber = file.getFileName().toString().replace(SUFFIX, "");
    return withNumber.substring(0, withNumber.lastIndexOf('.'));
  }

  private static void read(ByteBuffer file, long log, List<Operation> into) {
    for (int at = 0; at < file.capacity() && file.getInt(at + META) != 0; at += RECORD) {
      int meta = file.getInt(at + META);
      Answer answer = Answer.values()[meta >> ANSWER_SHIFT & 0xff];
      int batch = file.getInt(at + BATCH);
      into.add(
          new Operation(
              Kind.values()[(meta & 0xff) - 1],
              answer,
              file.getLong(at + KEY),
              file.getLong(at + INVOKED),
              answer == Answer.NONE ? Operation.NEVER : file.getLong(at + COMPLETED),
              (meta >>> BOUND_SHIFT) * NANOS_PER_MILLI,
              batch == 0 ? 0 : log << Integer.SIZE | batch));
    }
  }
}
