package io.github.slotbloom.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class LinePipelineTest {

  @TempDir Path directory;

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final Set<String> seen = new HashSet<>();

  @Test
  void keepsTheOrderOverManyBatches() throws Exception {
    String lines = numbers(0, 200_000);

    dedup(file(lines)).run();

    assertThat(printed.toString(UTF_8)).isEqualTo(lines);
  }

  @Test
  void readsFilesOneAfterTheOtherAndPrintsWhatIsNew() throws Exception {
    LinePipeline pipeline = dedup(file("a\nb\na\n"), file("b\nc\n"));

    pipeline.run();

    assertThat(printed.toString(UTF_8)).isEqualTo("a\nb\nc\n");
    assertThat(pipeline.counts().lines()).isEqualTo(5);
    assertThat(pipeline.counts().no()).isEqualTo(2);
    assertThat(pipeline.counts().bytes()).isEqualTo(10);
  }

  @Test
  void aMissingLineFeedStaysMissingAtTheEndAlone() throws Exception {
    dedup(file("a\nb"), file("c\nd"), file("d")).run();

    assertThat(printed.toString(UTF_8)).isEqualTo("a\nb\nc\nd");
  }

  @Test
  void whatWasAnsweredIsPrintedBeforeAFailureIsTold() throws Exception {
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

  @Test
  void aFailureToPrintEndsItThoughMuchIsWaiting() throws Exception {
    Output full =
        new Output(
            new OutputStream() {
              @Override
              public void write(int b) throws IOException {
                throw new IOException("No space left on device");
              }
            });

    LinePipeline pipeline = pipeline(this::addEach, full, file(numbers(0, 500_000)));

    assertThatThrownBy(pipeline::run)
        .isInstanceOf(OutputException.class)
        .hasMessageContaining("No space left on device");
  }

  @Test
  void aFailureToReadIsToldAfterWhatWasRead() throws Exception {
    Path directoryInsteadOfFile = Files.createDirectory(directory.resolve("d"));
    LinePipeline pipeline = dedup(file("a\n"), directoryInsteadOfFile);

    assertThatThrownBy(pipeline::run)
        .isInstanceOf(CommandException.class)
        .hasMessageContaining(directoryInsteadOfFile.toString());
    assertThat(printed.toString(UTF_8)).isEqualTo("a\n");
  }

  @Test
  void stopsBetweenBatches() throws Exception {
    LinePipeline[] pipeline = new LinePipeline[1];
    pipeline[0] =
        pipeline(
            keys -> {
              pipeline[0].stop();
              return addEach(keys);
            },
            new Output(printed),
            file(numbers(0, 500_000)));

    pipeline[0].run();

    assertThat(printed.toString(UTF_8)).isEqualTo(numbers(0, seen.size()));
    assertThat(seen.size()).isBetween(1, 499_999);
  }

  private LinePipeline dedup(Path... files) {
    return pipeline(this::addEach, new Output(printed), files);
  }

  private static LinePipeline pipeline(
      LinePipeline.Question question, Output output, Path... files) {
    return new LinePipeline(
        new Inputs(List.of(files).stream().map(Path::toString).toList()),
        KeyField.WHOLE_LINE,
        question,
        new NewLines(output),
        output);
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

  private static String numbers(int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(number -> number + "\n")
        .collect(Collectors.joining());
  }
}
