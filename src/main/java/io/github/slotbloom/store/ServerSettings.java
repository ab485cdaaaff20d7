package io.github.slotbloom.store;

import java.util.ArrayList;
import java.util.List;
import org.jooq.Record;

/**
 * What the server does with a commit.
 *
 * @param durable whether a commit that was acknowledged survives a crash of the server
 * @param visibleIsDurable whether what another session can see survives a crash too; otherwise it
 *     may be seen before it is flushed
 * @param findings in words, what weakens either
 */
public record ServerSettings(boolean durable, boolean visibleIsDurable, List<String> findings) {

  public ServerSettings {
    findings = List.copyOf(findings);
  }

  /** Asks the server. */
  public static ServerSettings read(Tx tx) {
    Record row =
        tx.dsl()
            .fetchSingle(
                "SELECT @@GLOBAL.innodb_flush_log_at_trx_commit, @@GLOBAL.log_bin, @@GLOBAL.sync_binlog,"
                    + " @@GLOBAL.innodb_doublewrite");
    int flush = row.get(0, Integer.class);
    boolean binaryLog = row.get(1, Integer.class) == 1;
    long syncBinaryLog = row.get(2, Long.class);
    String doublewrite = row.get(3, String.class);
    List<String> findings = new ArrayList<>();
    if (flush != 1) {
      findings.add(
          "innodb_flush_log_at_trx_commit is "
              + flush
              + ": a crash may lose the last second of acknowledged adds; set it to 1.");
    }
    if (binaryLog && syncBinaryLog != 1) {
      findings.add(
          "sync_binlog is "
              + syncBinaryLog
              + ": a crash may lose acknowledged adds from the binary log, and so from replicas; set it to 1.");
    }
    if (doublewrite.equals("0") || doublewrite.equalsIgnoreCase("OFF")) {
      findings.add(
          "innodb_doublewrite is off: a crash may tear a page unless the file system writes pages whole; set it to ON.");
    }
    return new ServerSettings(flush == 1, flush == 1 && binaryLog && syncBinaryLog == 1, findings);
  }
}
