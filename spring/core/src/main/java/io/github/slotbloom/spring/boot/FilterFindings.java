package io.github.slotbloom.spring.boot;

import io.github.slotbloom.SlotBloomListener;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Remembers the last report of each kind, for whoever asks later. Thread-safe. */
final class FilterFindings implements SlotBloomListener {

  private enum Kind {
    ROOM,
    GROWTH,
    ROTATION,
    EXPIRY
  }

  private final Clock clock;
  private final Set<String> durability = new LinkedHashSet<>();
  private final Set<String> primaries = new LinkedHashSet<>();
  private final Map<String, Map<Kind, String>> filters = new TreeMap<>();

  FilterFindings(Clock clock) {
    this.clock = clock;
  }

  /** Returns what was found out about the server. */
  synchronized List<String> ofServer() {
    List<String> all = new ArrayList<>(durability);
    all.addAll(primaries);
    return all;
  }

  /** Returns what was found out about a filter, each with its time. */
  synchronized List<String> of(String filter) {
    return List.copyOf(filters.getOrDefault(filter, Map.of()).values());
  }

  private synchronized void remember(String filter, Kind kind, String finding) {
    filters
        .computeIfAbsent(filter, name -> new TreeMap<>())
        .put(kind, clock.instant() + ": " + finding);
  }

  @Override
  public void nearlyFull(String filter, long keysAdded, long capacity) {
    remember(filter, Kind.ROOM, "nearly full, %s of %s keys".formatted(keysAdded, capacity));
  }

  @Override
  public void capacityReached(String filter, long keysAdded, long capacity) {
    remember(filter, Kind.ROOM, "full, %s of %s keys".formatted(keysAdded, capacity));
  }

  @Override
  public void growthFailed(String filter, String reason) {
    remember(filter, Kind.GROWTH, "could not grow: " + reason);
  }

  @Override
  public void rotationFailed(String filter, String reason) {
    remember(filter, Kind.ROTATION, "could not prepare the next bucket: " + reason);
  }

  @Override
  public void expired(String filter) {
    remember(filter, Kind.EXPIRY, "expired");
  }

  @Override
  public synchronized void weakDurability(String finding) {
    durability.add(finding);
  }

  @Override
  public synchronized void durabilityRestored() {
    durability.clear();
  }

  @Override
  public synchronized void severalPrimaries(String finding) {
    primaries.add(finding);
  }

  @Override
  public synchronized void groupHidden(String finding) {
    primaries.add(finding);
  }
}
