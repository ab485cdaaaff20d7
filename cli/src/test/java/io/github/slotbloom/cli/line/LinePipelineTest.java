package io.github.slotbloom.cli.line;

import static io.github.slotbloom.cli.Lines.numbers;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.cli.CommandException;
import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.cli.terminal.OutputException;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterFullException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class LinePipelineTest {

  private static final byte LINE_FEED = '\n';

  @TempDir Path directory;

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final Set<String> seen = new HashSet<>();

  @Test
  void linesKeepTheirOrderOverManyBatches() throws Exception {
    String lines = numbers(0, 200_000);

    dedup(file(lines)).run();

    assertThat(printed.toString(UTF_8)).isEqualTo(lines);
  }

  @Test
  void aBatchFitsIntoOneTransaction() throws Exception {
    List<Integer> batches = new ArrayList<>();

    pipeline(
            keys -> {
              batches.add(keys.size());
              return addEach(keys);
            },
            new Output(printed),
            file(numbers(0, 200_000)))
        .run();

    assertThat(batches)
        .allSatisfy(keys -> assertThat(keys).isBetween(1, BloomFilter.MAX_KEYS_PER_TRANSACTION));
    assertThat(seen).hasSize(200_000);
  }

  @Test
  void filesAreReadInOrderAndNewLinesPrinted() throws Exception {
    LinePipeline pipeline = dedup(file("a\nb\na\n"), file("b\nc\n"));

    pipeline.run();

    assertThat(printed.toString(UTF_8)).isEqualTo("a\nb\nc\n");
    assertThat(pipeline.counts().lines()).isEqualTo(5);
    assertThat(pipeline.counts().no()).isEqualTo(2);
    assertThat(pipeline.counts().bytes()).isEqualTo(10);
  }

  @Test
  void eachLineEndsWithALineFeedAlsoWhereAFileLacksTheLast() throws Exception {
    dedup(file("a\nb"), file("c\nd"), file("d")).run();

    assertThat(printed.toString(UTF_8)).isEqualTo("a\nb\nc\nd\n");
  }

  @Test
  void answeredLinesArePrintedBeforeAFailureIsThrown() throws Exception {
    LinePipeline pipeline =
        pipeline(
            keys -> {
              if (seen.contains("0")) {
                throw new IllegalArgumentException("gone");
              }
              return addEach(keys);
            },
            new Output(printed),
            file(numbers(0, 100_000)));

    assertThatThrownBy(pipeline::run).hasMessage("gone");

    assertThat(printed.toString(UTF_8)).isEqualTo(numbers(0, seen.size()));
    assertThat(seen).isNotEmpty();
  }

  private static Output outputThatFails(String message) {
    return new Output(
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException(message);
          }
        });
  }

  private Path makePipe() throws Exception {
    Path pipe = directory.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    return pipe;
  }

  @Test
  void aFailureToPrintEndsThePipelineWhileMuchWaits() throws Exception {
    Output full = outputThatFails("No space left on device");

    Path input = file(numbers(0, 500_000));
    LinePipeline pipeline = pipeline(this::addEach, full, input);

    assertThatThrownBy(pipeline::run)
        .isInstanceOf(OutputException.class)
        .hasMessageContaining("No space left on device")
        .hasMessageContaining(
            "%,d new keys are recorded and may not have been printed: %s, line 1 to %d.",
            seen.size(), input, seen.size());
  }

  @Test
  void linesPrintedBeforeAFailureDoNotCountAsMissing() throws Exception {
    AtomicBoolean full = new AtomicBoolean();
    Output output =
        new Output(
            new OutputStream() {
              @Override
              public void write(int b) throws IOException {
                throw new IOException("one byte was not expected");
              }

              @Override
              public void write(byte[] bytes, int from, int length) throws IOException {
                if (full.get()) {
                  throw new IOException("No space left on device");
                }
                printed.write(bytes, from, length);
              }

              @Override
              public void flush() {
                full.set(true);
              }
            });
    Path first = file("a\nb\n");
    Path pipe = makePipe();
    Thread writer =
        new Thread(
            () -> {
              try (OutputStream input = Files.newOutputStream(pipe)) {
                await().untilTrue(full);
                input.write("b\nc\nd\n".getBytes(UTF_8));
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });
    writer.start();
    LinePipeline pipeline = pipeline(this::addEach, output, first, pipe);

    assertThatThrownBy(pipeline::run)
        .hasMessageContaining(
            "2 new keys are recorded and may not have been printed: %s, line 1 to 3.", pipe);

    assertThat(printed.toString(UTF_8)).isEqualTo("a\nb\n");
    writer.join();
  }

  @Test
  void aFailureToPrintEndsThePipelineWhileTheInputPauses() throws Exception {
    Path pipe = makePipe();
    Output readerLeft = outputThatFails("Broken pipe");
    LinePipeline pipeline = pipeline(this::addEach, readerLeft, pipe);
    CountDownLatch ended = new CountDownLatch(1);
    Thread writer =
        new Thread(
            () -> {
              try (OutputStream input = Files.newOutputStream(pipe)) {
                input.write("a\n".getBytes(UTF_8));
                input.flush();
                ended.await();
              } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    writer.start();
    try {
      assertThatThrownBy(pipeline::run).isInstanceOf(OutputException.class);
    } finally {
      ended.countDown();
      writer.join();
    }
    assertThat(seen).containsExactly("a");
  }

  @Test
  void aFailureToReadIsThrownAfterTheLinesBefore() throws Exception {
    Path directoryInsteadOfFile = Files.createDirectory(directory.resolve("d"));
    LinePipeline pipeline = dedup(file("a\n"), directoryInsteadOfFile);

    assertThatThrownBy(pipeline::run)
        .isInstanceOf(CommandException.class)
        .hasMessageContaining(directoryInsteadOfFile.toString());
    assertThat(printed.toString(UTF_8)).isEqualTo("a\n");
  }

  @Test
  void thePipelineStopsBetweenBatches() throws Exception {
    List<LinePipeline> pipelines = new ArrayList<>();
    pipelines.add(
        pipeline(
            keys -> {
              pipelines.get(0).stop();
              return addEach(keys);
            },
            new Output(printed),
            file(numbers(0, 500_000))));

    pipelines.get(0).run();

    assertThat(printed.toString(UTF_8)).isEqualTo(numbers(0, seen.size()));
    assertThat(seen.size()).isBetween(1, 499_999);
  }

  @Test
  void aFullFilterTakesTheLinesThatFitAndNamesTheNext() throws Exception {
    Path input = file(numbers(0, 1_000) + numbers(0, 700));
    LinePipeline pipeline = pipeline(keys -> addUpTo(617, keys), new Output(printed), input);

    assertThatThrownBy(pipeline::run)
        .isInstanceOf(CommandException.class)
        .hasMessageContaining(input + ", line 618: ")
        .hasMessageContaining("617 of 617 keys");

    assertThat(printed.toString(UTF_8)).isEqualTo(numbers(0, 617));
    assertThat(seen).hasSize(617);
  }

  @Test
  void aLineThatIsNoKeyIsNamedAfterTheLinesBeforeIt() throws Exception {
    Path input = file("a\n" + "x".repeat(KeyType.MAX_KEY_BYTES + 1) + "\nb\n");
    LinePipeline pipeline = dedup(input);

    assertThatThrownBy(pipeline::run)
        .isInstanceOf(CommandException.class)
        .hasMessageContaining(input + ", line 2: ")
        .hasMessageContaining("1048577 bytes");

    assertThat(printed.toString(UTF_8)).isEqualTo("a\n");
    assertThat(seen).containsExactly("a");
  }

  private LinePipeline dedup(Path... files) {
    return pipeline(this::addEach, new Output(printed), files);
  }

  private static LinePipeline pipeline(
      LineAnswerer.Operation<byte[]> operation, Output output, Path... files) {
    return new LinePipeline(
        new Inputs(List.of(files).stream().map(Path::toString).toList()),
        InputStream.nullInputStream(),
        LINE_FEED,
        new LineAnswerer<>(KeyField.WHOLE_LINE, KeyFormat.TEXT, Effect.RECORDED, operation),
        new NewLines(output, LINE_FEED),
        output);
  }

  private boolean[] addUpTo(int capacity, List<byte[]> keys) {
    Set<String> after = new HashSet<>(seen);
    keys.forEach(key -> after.add(new String(key, UTF_8)));
    if (after.size() > capacity && after.size() > seen.size()) {
      throw new FilterFullException("x", "x", seen.size(), capacity);
    }
    return addEach(keys);
  }

  private boolean[] addEach(List<byte[]> keys) {
    boolean[] isNew = new boolean[keys.size()];
    for (int i = 0; i < isNew.length; i++) {
      isNew[i] = seen.add(new String(keys.get(i), UTF_8));
    }
    return isNew;
  }

  private Path file(String content) throws IOException {
    return Files.writeString(Files.createTempFile(directory, "input", ".txt"), content);
  }
}
