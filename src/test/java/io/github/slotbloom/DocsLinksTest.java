package io.github.slotbloom;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Follows the links between the pages of the project, and measures their lines. */
class DocsLinksTest {

  private static final int MOST_CHARACTERS = 119;

  private static final Pattern CODE = Pattern.compile("`[^`]*`");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^()\\s]+)\\)");
  private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");

  @TempDir Path directory;

  static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    for (String page : List.of("README", "CONTRIBUTING", "SECURITY", "CHANGELOG")) {
      pages.add(Path.of(page + ".md"));
    }
    pages.add(Path.of("examples/README.md"));
    pages.add(Path.of("perf/README.md"));
    pages.add(Path.of("sharding/README.md"));
    try (Stream<Path> docs = Files.walk(Path.of("docs"))) {
      docs.filter(file -> file.toString().endsWith(".md")).sorted().forEach(pages::add);
    }
    return pages;
  }

  @ParameterizedTest
  @MethodSource("pages")
  void everyLinkHasATarget(Path page) throws IOException {
    assertThat(brokenLinks(page)).isEmpty();
  }

  /** Code and tables may be wider. */
  @ParameterizedTest
  @MethodSource("pages")
  void linesFitATerminal(Path page) throws IOException {
    assertThat(prose(page))
        .filteredOn(line -> !line.startsWith("|"))
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(MOST_CHARACTERS));
  }

  @Test
  void aLinkWithoutItsFileOrHeadingIsFound() throws IOException {
    Files.writeString(directory.resolve("there.md"), "# A `b`, (c)\n\n## Twice\n\n## Twice\n");
    Path page = directory.resolve("page.md");
    Files.writeString(
        page,
        """
        # Here

        [right](there.md) [right](there.md#a-b-c) [right](there.md#twice-1) [right](#here)
        [right](https://example.org/#x) `[code](nowhere.md)`
        [wrong](nowhere.md), ![wrong](nowhere.png), [wrong](there.md#gone), [wrong](#gone)

        ```console
        $ echo '[code](nowhere.md)'
        ```
        """);

    assertThat(brokenLinks(page))
        .containsExactly("nowhere.md", "nowhere.png", "there.md#gone", "#gone");
  }

  private static List<String> brokenLinks(Path page) throws IOException {
    List<String> broken = new ArrayList<>();
    for (String line : prose(page)) {
      List<String> targets =
          LINK.matcher(CODE.matcher(line).replaceAll(""))
              .results()
              .map(link -> link.group(1))
              .filter(target -> !ELSEWHERE.matcher(target).matches())
              .toList();
      for (String target : targets) {
        if (!leadsSomewhere(page, target)) {
          broken.add(target);
        }
      }
    }
    return broken;
  }

  private static boolean leadsSomewhere(Path page, String target) throws IOException {
    int hash = target.indexOf('#');
    String path = hash < 0 ? target : target.substring(0, hash);
    Path file =
        path.isEmpty() ? page : requireNonNull(page.toAbsolutePath().getParent()).resolve(path);
    return Files.exists(file) && (hash < 0 || anchors(file).contains(target.substring(hash + 1)));
  }

  /** Names that GitHub gives to the headings of a page. */
  private static Set<String> anchors(Path page) throws IOException {
    Set<String> anchors = new HashSet<>();
    Map<String, Integer> seen = new HashMap<>();
    for (String line : prose(page)) {
      if (line.matches("#{1,6} .*")) {
        String name =
            line.replaceFirst("^#+ ", "")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .replace(' ', '-');
        int before = seen.merge(name, 1, Integer::sum) - 1;
        anchors.add(before == 0 ? name : name + "-" + before);
      }
    }
    return anchors;
  }

  /** The lines outside of fenced code. */
  private static List<String> prose(Path page) throws IOException {
    List<String> prose = new ArrayList<>();
    boolean code = false;
    for (String line : Files.readAllLines(page, UTF_8)) {
      if (line.startsWith("```")) {
        code = !code;
      } else if (!code) {
        prose.add(line);
      }
    }
    return prose;
  }
}
