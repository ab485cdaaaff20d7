package io.github.slotbloom.perf.peer;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.PartitionedFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.perf.Opened;
import io.github.slotbloom.perf.server.DatabaseServer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Uses a filter of several parts, which are on the servers in turn. */
public final class PartitionedKeys implements SeenKeys {

  private static final int CONNECTIONS = 8;

  /** Some parts get a little more than their share. */
  private static final double ROOM = 1.01;

  private final int parts;
  private final String durability;
  private final double falsePositiveRate;
  private final Opened opened = new Opened();
  private final List<SlotBloom> homes = new ArrayList<>();
  private final PartitionedFilter<String> filter;

  /**
   * Creates the filter in a schema that each server has.
   *
   * @param capacity the keys of all parts together
   */
  public PartitionedKeys(
      List<DatabaseServer> servers,
      String schema,
      int parts,
      long capacity,
      double falsePositiveRate)
      throws SQLException {
    this.parts = parts;
    this.falsePositiveRate = falsePositiveRate;
    durability = servers.get(0).durability();
    List<SlotBloom> blooms = new ArrayList<>();
    for (DatabaseServer server : servers.subList(0, Math.min(parts, servers.size()))) {
      HikariDataSource pool = opened.keep(server.account(schema).pool(CONNECTIONS));
      SlotBloom bloom = opened.keep(SlotBloom.on(pool));
      bloom.migrate();
      blooms.add(bloom);
    }
    for (int part = 0; part < parts; part++) {
      homes.add(blooms.get(part % blooms.size()));
    }
    filter =
        opened.keep(
            PartitionedFilter.openOrReserve(
                "seen_" + parts,
                SlotbloomKeys.spec((long) (capacity * ROOM / parts) + 1, falsePositiveRate),
                homes));
  }

  @Override
  public String name() {
    // One part is what several are compared with.
    return parts == 1 ? "One part on the first server" : "Slotbloom, " + parts + " parts";
  }

  @Override
  public String durability() {
    return durability;
  }

  @Override
  public double falsePositiveRate() {
    return falsePositiveRate;
  }

  @Override
  public Caller caller() {
    return new FilterCaller(filter);
  }

  @Override
  public void settle() {
    for (int part = 0; part < parts; part++) {
      homes.get(part).admin(filter.parts().get(part).name()).fold();
    }
  }

  @Override
  public void close() throws Exception {
    opened.close();
  }
}
