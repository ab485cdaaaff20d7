package io.github.slotbloom.testing;

import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.SlotBloomListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Records the reasons for which mirrors were reloaded. */
public final class Reloads implements SlotBloomListener {

  private final List<String> told = new CopyOnWriteArrayList<>();

  @Override
  public void on(SlotBloomEvent event) {
    if (event instanceof SlotBloomEvent.Reloading reloading) {
      told.add(reloading.filter() + ": " + reloading.reason());
    }
  }

  /** Returns the reasons for one filter in order. */
  public List<String> of(String filter) {
    return told.stream().filter(reason -> reason.startsWith(filter + ": ")).toList();
  }
}
