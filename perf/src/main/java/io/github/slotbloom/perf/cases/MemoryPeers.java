package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.peer.CuckooFilter4j;
import io.github.slotbloom.perf.peer.CuckooTable;
import io.github.slotbloom.perf.peer.HadoopCounting;
import io.github.slotbloom.perf.peer.MemoryFilter;
import io.github.slotbloom.perf.peer.MemoryKeys;
import io.github.slotbloom.perf.peer.OrestesCounting;
import java.util.Arrays;
import java.util.List;

/** The filters in memory from which keys can be removed. */
enum MemoryPeers {
  HADOOP("Counting filter of Hadoop", HadoopCounting::new),
  ORESTES("Counting filter of Orestes", OrestesCounting::new),
  CUCKOO4J("CuckooFilter4J", CuckooFilter4j::new) {
    /** Its fingerprints are two bits shorter than its rate takes: 2.9 % of 1 % were measured. */
    @Override
    double reachedRate(double falsePositiveRate) {
      return 5 * falsePositiveRate;
    }
  },
  CUCKOO("Cuckoo filter as in the paper", CuckooTable::new);

  private interface Creation {
    MemoryFilter of(long capacity, double falsePositiveRate);
  }

  private final String title;
  private final Creation creation;

  MemoryPeers(String title, Creation creation) {
    this.title = title;
    this.creation = creation;
  }

  /** Returns the name in tables and goals. */
  String title() {
    return title;
  }

  MemoryFilter create(long capacity, double falsePositiveRate) {
    return creation.of(capacity, falsePositiveRate);
  }

  /** Returns the most false positives that a filter sized for that rate answers. */
  double reachedRate(double falsePositiveRate) {
    return falsePositiveRate;
  }

  MemoryKeys keys(long capacity, double falsePositiveRate) {
    return new MemoryKeys(
        title, reachedRate(falsePositiveRate), create(capacity, falsePositiveRate));
  }

  static List<MemoryKeys> all(long capacity, double falsePositiveRate) {
    return Arrays.stream(values()).map(peer -> peer.keys(capacity, falsePositiveRate)).toList();
  }
}
