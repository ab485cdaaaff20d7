package io.github.slotbloom.reliability;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A manifest, read from its text by what the decision on manifests says of it, and by nothing of
 * the library.
 *
 * @param text as it is stored
 * @param window for how many buckets keys are found; 0 if they never expire
 * @param generations in their order
 */
record ManifestRow(
    String text,
    long seq,
    long token,
    long begins,
    int next,
    int window,
    List<GenerationRow> generations) {

  private static final Pattern FIELD = Pattern.compile("\"(\\w+)\":\"?([^\",{}\\[\\]]+)");

  private static final Pattern GENERATION = Pattern.compile("\\{([^{}]*)\\}");

  /**
   * Reads a text.
   *
   * @throws RuntimeException if it is not one of a manifest
   */
  static ManifestRow of(String text) {
    int list = text.indexOf("\"generations\":[");
    if (list < 0) {
      throw new IllegalArgumentException("It has no generations: " + text);
    }
    Map<String, String> fields = fields(text.substring(0, list));
    List<GenerationRow> generations = new ArrayList<>();
    Matcher generation = GENERATION.matcher(text.substring(list));
    while (generation.find()) {
      generations.add(GenerationRow.of(fields(generation.group(1))));
    }
    return new ManifestRow(
        text,
        Long.parseLong(fields.get("seq")),
        Long.parseLong(fields.get("token")),
        Long.parseLong(fields.get("begins")),
        Integer.parseInt(fields.get("next")),
        Integer.parseInt(fields.getOrDefault("window", "0")),
        List.copyOf(generations));
  }

  private static Map<String, String> fields(String object) {
    Map<String, String> fields = new HashMap<>();
    Matcher field = FIELD.matcher(object);
    while (field.find()) {
      fields.put(field.group(1), field.group(2));
    }
    return fields;
  }

  /** Those that a key may be in, oldest first. */
  List<GenerationRow> answering() {
    return generations.stream().filter(GenerationRow::answers).toList();
  }

  /** The one that is to replace them. */
  Optional<GenerationRow> filling() {
    return generations.stream().filter(generation -> !generation.answers()).findFirst();
  }

  /** The one that takes new keys. */
  GenerationRow newest() {
    return last(answering(), generation -> true).orElseThrow();
  }

  /** Removals up to this entry mean nothing: no generation that answers is older. */
  long removedAfter() {
    return answering().stream().mapToLong(GenerationRow::since).min().orElse(begins);
  }

  /** Which generations have the keys of an entry, of before this manifest or after it. */
  List<GenerationRow> takers(JournalRow entry) {
    Predicate<GenerationRow> hadBegun = generation -> generation.since() < entry.seq();
    List<GenerationRow> takers = new ArrayList<>();
    Optional<GenerationRow> filling = filling().filter(hadBegun);
    if (entry.setsBits()) {
      Optional<GenerationRow> newest = last(answering(), hadBegun);
      newest.ifPresent(takers::add);
      filling
          .filter(filled -> newest.isPresent() && newest.get().since() < filled.since())
          .ifPresent(takers::add);
    } else if (entry.fillsOnly()) {
      filling.ifPresent(takers::add);
      if (filling.isEmpty()) {
        answering().stream()
            .filter(hadBegun.and(generation -> entry.seq() <= generation.cutover()))
            .forEach(takers::add);
      }
    }
    return takers;
  }

  private static Optional<GenerationRow> last(
      List<GenerationRow> some, Predicate<GenerationRow> wanted) {
    return some.stream().filter(wanted).reduce((one, later) -> later);
  }

  @Override
  public String toString() {
    return text;
  }
}
