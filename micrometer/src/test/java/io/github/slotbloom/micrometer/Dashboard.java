package io.github.slotbloom.micrometer;

import com.fasterxml.jackson.jr.ob.JSON;
import io.github.slotbloom.testing.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The queries of the Grafana dashboard. */
record Dashboard(List<String> queries) {

  private static final Pattern SELECTOR = Pattern.compile("(slotbloom_\\w+)(?:\\{([^}]*)})?");
  private static final Pattern MATCHER = Pattern.compile("(\\w+)\\s*(=~|=)\\s*\"([^\"]*)\"");
  private static final Pattern GROUPING = Pattern.compile("\\bby\\s*\\(([^)]*)\\)");
  private static final Pattern LEGEND = Pattern.compile("\\{\\{(\\w+)}}");

  /** Labels that Prometheus adds to what it scrapes. */
  private static final Set<String> OF_PROMETHEUS = Set.of("le", "job", "instance");

  /**
   * A metric in a query.
   *
   * @param labels the labels that the query or its legend names
   * @param fixed those that must have one value
   */
  record Selector(String metric, Set<String> labels, Map<String, String> fixed) {}

  static Dashboard ofTheProject() throws IOException {
    String text = Files.readString(Checkout.file("docs/grafana/slotbloom.json"));
    List<String> queries = new ArrayList<>();
    collect(JSON.std.anyFrom(text), queries);
    return new Dashboard(queries);
  }

  private static void collect(Object node, List<String> queries) {
    if (node instanceof Map<?, ?> object) {
      if (object.get("expr") instanceof String query) {
        queries.add(query + " " + object.get("legendFormat"));
      } else if (object.get("query") instanceof String query && query.contains("slotbloom_")) {
        queries.add(query);
      }
      object.values().forEach(value -> collect(value, queries));
    } else if (node instanceof List<?> array) {
      array.forEach(element -> collect(element, queries));
    }
  }

  List<Selector> selectors() {
    return queries.stream().flatMap(query -> selectors(query).stream()).toList();
  }

  private static List<Selector> selectors(String query) {
    Set<String> ofAll = new HashSet<>();
    Matcher grouping = GROUPING.matcher(query);
    while (grouping.find()) {
      ofAll.addAll(List.of(grouping.group(1).trim().split("\\s*,\\s*")));
    }
    Matcher legend = LEGEND.matcher(query);
    while (legend.find()) {
      ofAll.add(legend.group(1));
    }
    ofAll.removeAll(OF_PROMETHEUS);
    List<Selector> selectors = new ArrayList<>();
    Matcher selector = SELECTOR.matcher(query);
    while (selector.find()) {
      Set<String> labels = new HashSet<>(ofAll);
      Map<String, String> fixed = new HashMap<>();
      Matcher matcher = MATCHER.matcher(selector.group(2) == null ? "" : selector.group(2));
      while (matcher.find()) {
        labels.add(matcher.group(1));
        if (matcher.group(2).equals("=")) {
          fixed.put(matcher.group(1), matcher.group(3));
        }
      }
      selectors.add(
          new Selector(
              selector.group(1),
              labels.stream()
                  .filter(label -> !OF_PROMETHEUS.contains(label))
                  .collect(Collectors.toSet()),
              fixed));
    }
    return selectors;
  }
}
