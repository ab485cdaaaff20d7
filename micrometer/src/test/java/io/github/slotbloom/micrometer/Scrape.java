package io.github.slotbloom.micrometer;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The samples of this library that Prometheus gets from a process. */
record Scrape(List<Sample> samples) {

  private static final Pattern SAMPLE = Pattern.compile("^(slotbloom_\\w+)\\{(.*)} \\S+$");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

  record Sample(String metric, Map<String, String> labels) {}

  static Scrape of(String text) {
    return new Scrape(
        text.lines()
            .map(SAMPLE::matcher)
            .filter(Matcher::matches)
            .map(line -> new Sample(line.group(1), labels(line.group(2))))
            .toList());
  }

  static Map<String, String> labels(String text) {
    Map<String, String> labels = new HashMap<>();
    Matcher label = LABEL.matcher(text);
    while (label.find()) {
      labels.put(label.group(1), label.group(2));
    }
    return labels;
  }

  Set<String> names() {
    return samples.stream().map(Sample::metric).collect(Collectors.toSet());
  }

  /**
   * Returns true if a sample has all labels of a query, and those values of them that are fixed.
   */
  boolean has(Dashboard.Selector selector) {
    return samples.stream()
        .filter(sample -> sample.metric().equals(selector.metric()))
        .anyMatch(
            sample ->
                sample.labels().keySet().containsAll(selector.labels())
                    && new HashSet<>(sample.labels().entrySet())
                        .containsAll(selector.fixed().entrySet()));
  }
}
