package io.github.slotbloom.perf.cases;

import io.github.slotbloom.core.Layout;
import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Opened;
import io.github.slotbloom.perf.peer.CountingTableKeys;
import io.github.slotbloom.perf.peer.HashTableKeys;
import io.github.slotbloom.perf.peer.RedisBloomKeys;
import io.github.slotbloom.perf.peer.RedisCuckooKeys;
import io.github.slotbloom.perf.peer.RedissonKeys;
import io.github.slotbloom.perf.peer.RemovableKeys;
import io.github.slotbloom.perf.peer.SeenKeys;
import io.github.slotbloom.perf.peer.SlotbloomKeys;
import io.github.slotbloom.perf.server.DatabaseServer;
import io.github.slotbloom.perf.server.RedisAddress;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The peers that are available on this machine, with their names in goals. */
final class Peers {

  static final double FALSE_POSITIVE_RATE = 0.01;

  /** How old a bounded answer may be. */
  static final Duration BOUND = Duration.ofSeconds(1);

  /** How many keys that nobody added are asked for. */
  static final int ABSENT_KEYS = 200_000;

  static final String REDISBLOOM = "RedisBloom";
  static final String REDISSON = "Redisson";
  static final String TEXTBOOK = "Textbook MySQL";
  static final String HASH_TABLE = "Table with the hash as primary key";

  private Peers() {}

  /** Our filter, with the false positive rate of the others. */
  static SlotbloomKeys ours(DatabaseServer database, String schema, long capacity)
      throws SQLException {
    return SlotbloomKeys.reserve(database, schema, "seen", capacity, FALSE_POSITIVE_RATE);
  }

  /** The same, from which all keys can be removed. */
  static SlotbloomKeys oursRemovable(DatabaseServer database, String schema, long capacity)
      throws SQLException {
    return SlotbloomKeys.reserveRemovable(
        database, schema, "seen", Layout.BLOCKED, capacity, FALSE_POSITIVE_RATE);
  }

  static List<SeenKeys> inDatabaseAndRedis(
      Bench bench, String schema, long capacity, int connections, Opened opened) throws Exception {
    List<SeenKeys> peers = new ArrayList<>();
    Optional<RedisAddress> redisBloom = bench.redisBloom();
    if (redisBloom.isPresent()) {
      peers.add(
          opened.keep(new RedisBloomKeys(redisBloom.get(), schema, capacity, FALSE_POSITIVE_RATE)));
    }
    Optional<RedisAddress> redis = bench.redis();
    if (redis.isPresent()) {
      peers.add(
          opened.keep(
              new RedissonKeys(redis.get(), schema, capacity, FALSE_POSITIVE_RATE, connections)));
    }
    peers.add(opened.keep(new HashTableKeys(bench.database(), schema, "hashes")));
    return peers;
  }

  /** Returns those from which keys can be removed, except for ours. */
  static List<RemovableKeys> removable(Bench bench, String schema, long capacity, Opened opened)
      throws Exception {
    List<RemovableKeys> peers = new ArrayList<>();
    peers.add(
        opened.keep(
            new CountingTableKeys(
                bench.database(), schema, "counters", capacity, FALSE_POSITIVE_RATE)));
    Optional<RedisAddress> redisBloom = bench.redisBloom();
    if (redisBloom.isPresent()) {
      peers.add(opened.keep(new RedisCuckooKeys(redisBloom.get(), schema, capacity)));
    }
    peers.addAll(MemoryPeers.all(capacity, FALSE_POSITIVE_RATE));
    return peers;
  }
}
