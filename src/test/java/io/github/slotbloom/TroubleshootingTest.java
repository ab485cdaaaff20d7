package io.github.slotbloom;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import io.github.slotbloom.testing.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/** Compares docs/troubleshooting.md with the messages in the sources of all modules. */
class TroubleshootingTest {

  private static final List<String> MODULES =
      List.of(
          "",
          "cli/",
          "micrometer/",
          "resp/",
          "spark/",
          "spring/core/",
          "spring/boot/",
          "spring/boot3/");

  private static final Pattern QUOTE = Pattern.compile("`([^`]+)`");

  /** A sentence or clause that follows what happened. */
  private static final Pattern REMEDY = Pattern.compile("(\\. [A-Z]|; )");

  /** Their messages name the value and what is allowed, so the page leaves them out. */
  private static final Set<String> UNLISTED = Set.of("InvalidParameterException");

  private static final String CONCATENATION = "\"\\s*\\+\\s*\"";

  @Test
  void everyErrorWithARemedyIsOnThePage() throws IOException {
    Set<String> types = errorTypes();
    List<String> quotes = quotes();
    Set<String> messages = new TreeSet<>();
    scanErrors(
        (type, message) -> {
          if (types.contains(type) && REMEDY.matcher(message).find()) {
            messages.add(message);
          }
        });

    assertThat(messages).hasSizeGreaterThan(50);
    messages.removeIf(message -> quotes.stream().anyMatch(message::contains));
    assertThat(messages).as("messages that the page does not quote").isEmpty();
  }

  @Test
  void everyQuoteIsPartOfAMessage() throws IOException {
    StringBuilder sources = new StringBuilder();
    for (Path source : sources()) {
      sources.append(Files.readString(source, UTF_8).replaceAll(CONCATENATION, ""));
    }

    List<String> quotes = quotes();
    assertThat(quotes).hasSizeGreaterThan(50);
    assertThat(quotes.stream().filter(quote -> sources.indexOf(quote) < 0))
        .as("quotes that no message contains")
        .isEmpty();
  }

  @Test
  void everyTypeOfErrorIsOnThePage() throws IOException {
    assertThat(page()).contains(errorTypes());
  }

  private static String page() throws IOException {
    return Files.readString(Checkout.file("docs/troubleshooting.md"), UTF_8);
  }

  /** Returns what the first column of the tables quotes. */
  private static List<String> quotes() throws IOException {
    return page()
        .lines()
        .filter(line -> line.startsWith("| `"))
        .map(line -> line.substring(0, line.indexOf(" | ")))
        .flatMap(cell -> QUOTE.matcher(cell).results().map((MatchResult quote) -> quote.group(1)))
        .toList();
  }

  private static Set<String> errorTypes() throws IOException {
    try (Stream<Path> files =
        Files.list(Checkout.file("src/main/java/io/github/slotbloom/error"))) {
      Set<String> types = new TreeSet<>();
      files
          .map(file -> file.getFileName().toString().replace(".java", ""))
          .filter(type -> type.endsWith("Exception"))
          .filter(type -> !type.equals("SlotBloomException") && !UNLISTED.contains(type))
          .forEach(types::add);
      return types;
    }
  }

  private static List<Path> sources() throws IOException {
    List<Path> sources = new ArrayList<>();
    for (String module : MODULES) {
      try (Stream<Path> files = Files.walk(Checkout.file(module + "src/main/java"))) {
        files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
      }
    }
    return sources;
  }

  /** Hands out the type of each exception that is created, and the literals in its arguments. */
  private static void scanErrors(BiConsumer<String, String> created) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files =
        compiler.getStandardFileManager(null, Locale.ROOT, UTF_8)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  files,
                  null,
                  List.of("-proc:none"),
                  null,
                  files.getJavaFileObjectsFromPaths(sources()));
      for (CompilationUnitTree unit : task.parse()) {
        new TreeScanner<Void, Void>() {
          @Override
          public Void visitNewClass(NewClassTree made, Void none) {
            created.accept(made.getIdentifier().toString(), literals(made));
            return super.visitNewClass(made, none);
          }
        }.scan(unit, null);
      }
    }
  }

  private static String literals(NewClassTree made) {
    List<String> texts = new ArrayList<>();
    new TreeScanner<Void, Void>() {
      @Override
      public Void visitLiteral(LiteralTree literal, Void none) {
        if (literal.getValue() instanceof String text) {
          texts.add(text);
        }
        return null;
      }
    }.scan(made.getArguments(), null);
    return String.join("", texts);
  }
}
