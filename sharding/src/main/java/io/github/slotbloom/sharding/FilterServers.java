package io.github.slotbloom.sharding;

import io.github.slotbloom.SlotBloom;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * Many servers with filters. Each filter is on one of them as a whole, and its name tells on which.
 * Thread-safe.
 *
 * <p>The server of a name depends only on the name and the names of the servers, so all processes
 * find the same one. One server more takes its share of the names from all others. The filters of
 * those names must be moved before: see {@link #FilterServers}.
 */
public final class FilterServers {

  private final Map<String, SlotBloom> servers;

  /**
   * Takes the servers.
   *
   * @param servers by the name of each, which never changes
   * @throws IllegalStateException if a filter is on another server than its name tells; otherwise
   *     it would be created there a second time, empty
   */
  public FilterServers(Map<String, SlotBloom> servers) {
    if (servers.isEmpty()) {
      throw new IllegalArgumentException("There is no server. Pass at least one.");
    }
    this.servers = new TreeMap<>(servers);
    this.servers.forEach(this::requireAtHome);
  }

  private void requireAtHome(String server, SlotBloom bloom) {
    for (String filter : bloom.names()) {
      String home = home(filter);
      if (!server.equals(home)) {
        throw new IllegalStateException(
            ("Filter %s is on the server %s, but its name maps to %s. Export it there, import"
                    + " it on %s, and drop it on %s.")
                .formatted(filter, server, home, home, server));
      }
    }
  }

  /**
   * Returns the server of a filter.
   *
   * @param filter the name of the filter, which need not exist
   */
  public SlotBloom of(String filter) {
    return Objects.requireNonNull(servers.get(home(filter)));
  }

  /** Returns the name of the server of a filter. */
  public String home(String filter) {
    return home(servers.keySet(), filter);
  }

  static String home(Set<String> servers, String filter) {
    return servers.stream()
        .max(Comparator.comparingLong(server -> weight(server, filter)))
        .orElseThrow();
  }

  /** Returns the names of the filters of all servers, in alphabetical order. */
  public List<String> names() {
    return servers.values().stream().flatMap(bloom -> bloom.names().stream()).sorted().toList();
  }

  private static long weight(String server, String filter) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest((server + "/" + filter).getBytes(StandardCharsets.UTF_8));
      return ByteBuffer.wrap(digest).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256", e);
    }
  }
}
