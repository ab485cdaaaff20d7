package io.github.slotbloom.spring.boot;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.report.ProcessStatistics.MirrorState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.beans.factory.ObjectProvider;

/**
 * What the health of the application says about its filters. One short query tells whether the
 * database can be used; all else is in memory. Thread-safe.
 */
public final class SlotBloomHealthCheck {

  /** Twice the lease: from then on the library calls a mirror lagging. */
  private static final Duration TOO_OLD = Duration.ofSeconds(4);

  private final SlotBloom bloom;
  private final ObjectProvider<BloomFilter<?>> filters;
  private final FilterFindings findings;

  SlotBloomHealthCheck(
      SlotBloom bloom, ObjectProvider<BloomFilter<?>> filters, FilterFindings findings) {
    this.bloom = bloom;
    this.filters = filters;
    this.findings = findings;
  }

  /**
   * Returns what there is to say: for each filter bean what was found out about it, and what was
   * found out about the server. It holds no keys and no seeds.
   *
   * @return values for a health contributor
   * @throws io.github.slotbloom.error.FilterUnavailableException if the database cannot be used
   */
  public Map<String, Object> details() {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("databaseTime", bloom.databaseTime().toString());
    details.put("server", findings.ofServer());
    Map<String, List<String>> ofFilters = new TreeMap<>();
    filters.stream().forEach(filter -> ofFilters.put(filter.name(), of(filter)));
    details.put("filters", ofFilters);
    return details;
  }

  private List<String> of(BloomFilter<?> filter) {
    List<String> all = new ArrayList<>(findings.of(filter.name()));
    filter
        .statistics()
        .mirror()
        .map(MirrorState::age)
        .filter(age -> age.compareTo(TOO_OLD) > 0)
        .ifPresent(age -> all.add("the mirror is %s s old".formatted(age.toSeconds())));
    return all;
  }
}
