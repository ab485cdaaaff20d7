package io.github.slotbloom.perf.server;

import java.util.Map;
import redis.clients.jedis.Jedis;

/** The address of a Redis server. */
public record RedisAddress(String host, int port) {

  public static RedisAddress parse(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 1 || !text.substring(colon + 1).matches("[0-9]{1,5}")) {
      throw new IllegalArgumentException("Give a server as host:port, not " + text + ".");
    }
    return new RedisAddress(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
  }

  public Jedis connect() {
    return new Jedis(host, port, 60_000);
  }

  /** Rejects a server that answers before it has synced. */
  public void requireDurable() {
    try (Jedis jedis = connect()) {
      Map<String, String> only = jedis.configGet("appendonly");
      Map<String, String> sync = jedis.configGet("appendfsync");
      if (!"yes".equals(only.get("appendonly")) || !"always".equals(sync.get("appendfsync"))) {
        throw new IllegalStateException(
            "The Redis server at "
                + this
                + " answers before its data is durable ("
                + only
                + ", "
                + sync
                + "); start it with --appendonly yes --appendfsync always.");
      }
    }
  }

  /** Returns how durable an answer is. */
  public String durability() {
    return "each answer synced (appendfsync always)";
  }

  public String version() {
    try (Jedis jedis = connect()) {
      return infoLine(jedis.info("server"), "redis_version");
    }
  }

  /** Returns the version of the module with BF.*, or an empty text if the server has none. */
  public String bloomVersion() {
    try (Jedis jedis = connect()) {
      return jedis.moduleList().stream()
          .filter(module -> module.getName().equals("bf"))
          .map(module -> Integer.toString(module.getVersion()))
          .findFirst()
          .orElse("");
    }
  }

  private static String infoLine(String info, String name) {
    return info.lines()
        .filter(line -> line.startsWith(name + ":"))
        .map(line -> line.substring(name.length() + 1).trim())
        .findFirst()
        .orElse("");
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
