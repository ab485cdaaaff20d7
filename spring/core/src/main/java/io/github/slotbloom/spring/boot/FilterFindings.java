package io.github.slotbloom.spring.boot;

import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.SlotBloomListener;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArraySet;

/** Remembers the last report of each kind, for whoever asks later. Thread-safe. */
final class FilterFindings implements SlotBloomListener {

  private final Clock clock;
  private final Set<String> durability = new CopyOnWriteArraySet<>();
  private final Set<String> primaries = new CopyOnWriteArraySet<>();
  private final Map<String, Map<String, String>> filters = new ConcurrentHashMap<>();

  FilterFindings(Clock clock) {
    this.clock = clock;
  }

  /** Returns what was found out about the server. */
  List<String> ofServer() {
    List<String> all = new ArrayList<>(durability);
    all.addAll(primaries);
    return all;
  }

  /** Returns what was found out about a filter, each with its time. */
  List<String> of(String filter) {
    return List.copyOf(filters.getOrDefault(filter, Map.of()).values());
  }

  @Override
  public void on(SlotBloomEvent event) {
    if (event instanceof SlotBloomEvent.NearlyFull
        || event instanceof SlotBloomEvent.CapacityReached) {
      remember("room", event);
    } else if (event instanceof SlotBloomEvent.GrowthFailed
        || event instanceof SlotBloomEvent.RotationFailed
        || event instanceof SlotBloomEvent.Expired) {
      remember(event.getClass().getName(), event);
    } else if (event instanceof SlotBloomEvent.WeakDurability) {
      durability.add(event.message());
    } else if (event instanceof SlotBloomEvent.DurabilityRestored) {
      durability.clear();
    } else if (event instanceof SlotBloomEvent.PrimaryInDoubt) {
      primaries.add(event.message());
    }
  }

  private void remember(String kind, SlotBloomEvent event) {
    filters
        .computeIfAbsent(event.filter(), name -> new ConcurrentSkipListMap<>())
        .put(kind, clock.instant() + ": " + event.message());
  }
}
