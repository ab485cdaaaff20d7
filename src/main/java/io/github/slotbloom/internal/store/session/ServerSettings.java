package io.github.slotbloom.internal.store.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Server settings that decide how durable a commit is, and if other servers take writes too.
 *
 * @param server tells this server from others that the same address may lead to
 * @param visibleIsDurable true if data that other sessions can see survives a crash; if false, it
 *     may be visible before it is flushed
 * @param weakDurability sentences that name settings with which a crash can lose an acknowledged
 *     commit
 * @param severalPrimaries sentences that name settings with which other servers take writes too
 */
public record ServerSettings(
    String server,
    boolean visibleIsDurable,
    List<String> weakDurability,
    List<String> severalPrimaries) {

  /**
   * Some of these variables are missing on the other kind of server, or if a feature is not built
   * in.
   */
  private static final String READ =
      "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('hostname', 'port', 'server_id',"
          + " 'innodb_flush_log_at_trx_commit', 'log_bin', 'sync_binlog', 'innodb_doublewrite',"
          + " 'wsrep_on', 'group_replication_group_name', 'group_replication_single_primary_mode')";

  private static final String EVERY_SERVER_WRITES =
      ": every server accepts writes, and a replacement does not wait for an application's"
          + " transaction (BloomFilter.within) on another server. Connect all processes to one"
          + " server, and to another only when that one fails.";

  public ServerSettings {
    weakDurability = List.copyOf(weakDurability);
    severalPrimaries = List.copyOf(severalPrimaries);
  }

  /** Reads the settings from the server. Needs no special right. */
  public static ServerSettings read(Tx tx) {
    // The limit of a session on rows would cut off some of the variables.
    String read = tx.prepared() ? READ : READ + " AND " + SessionFitness.condition(tx);
    Map<String, String> variables =
        tx.dsl()
            .fetch(read)
            .intoMap(row -> row.get(0, String.class), row -> row.get(1, String.class));
    if (variables.isEmpty()) {
      SessionFitness.requireKnown(tx);
    }
    return of(variables);
  }

  /**
   * Evaluates global variables as SHOW prints them.
   *
   * @param variables values by name, without the variables that the server does not have
   */
  static ServerSettings of(Map<String, String> variables) {
    boolean flushed = variables.getOrDefault("innodb_flush_log_at_trx_commit", "").equals("1");
    boolean binaryLog = isOn(variables, "log_bin");
    boolean binaryLogSynced = variables.getOrDefault("sync_binlog", "").equals("1");
    List<String> weak = new ArrayList<>();
    if (!flushed) {
      weak.add(
          "innodb_flush_log_at_trx_commit is "
              + variables.get("innodb_flush_log_at_trx_commit")
              + ": a crash can lose the last second of acknowledged adds; set it to 1.");
    }
    if (binaryLog && !binaryLogSynced) {
      weak.add(
          "sync_binlog is "
              + variables.get("sync_binlog")
              + ": a crash can lose acknowledged adds from the binary log, and so from replicas;"
              + " set it to 1.");
    }
    String doublewrite = variables.getOrDefault("innodb_doublewrite", "");
    if (List.of("0", "OFF", "DETECT_ONLY").contains(doublewrite)) {
      weak.add(
          "innodb_doublewrite is "
              + (doublewrite.equals("DETECT_ONLY") ? doublewrite : "off")
              + ": a crash can tear a page unless the file system writes whole pages atomically;"
              + " set it to ON.");
    }
    return new ServerSettings(
        String.join(
            "/",
            variables.getOrDefault("hostname", ""),
            variables.getOrDefault("port", ""),
            variables.getOrDefault("server_id", "")),
        flushed && binaryLog && binaryLogSynced,
        weak,
        severalPrimaries(variables));
  }

  private static List<String> severalPrimaries(Map<String, String> variables) {
    List<String> several = new ArrayList<>();
    if (isOn(variables, "wsrep_on")) {
      several.add("wsrep_on is ON" + EVERY_SERVER_WRITES);
    }
    boolean grouped = !variables.getOrDefault("group_replication_group_name", "").isEmpty();
    if (grouped && !isOn(variables, "group_replication_single_primary_mode")) {
      several.add("group_replication_single_primary_mode is OFF" + EVERY_SERVER_WRITES);
    }
    return several;
  }

  private static boolean isOn(Map<String, String> variables, String name) {
    return variables.getOrDefault(name, "OFF").equals("ON");
  }
}
