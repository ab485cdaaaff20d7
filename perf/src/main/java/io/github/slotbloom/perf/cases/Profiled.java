package io.github.slotbloom.perf.cases;

/** A case whose own side can run alone, to see where its time goes. */
public interface Profiled {

  AddingLoop loop();
}
