package io.github.slotbloom.internal.store.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerSettingsTest {

  private static final Map<String, String> DURABLE =
      Map.of(
          "innodb_flush_log_at_trx_commit", "1",
          "log_bin", "ON",
          "sync_binlog", "1",
          "innodb_doublewrite", "ON",
          "hostname", "db1",
          "port", "3306",
          "server_id", "7");

  private static ServerSettings with(String... changes) {
    Map<String, String> variables = new HashMap<>(DURABLE);
    for (int i = 0; i < changes.length; i += 2) {
      variables.put(changes[i], changes[i + 1]);
    }
    return ServerSettings.of(variables);
  }

  @Test
  void aDurableServerHasNoFindings() {
    assertThat(with()).isEqualTo(new ServerSettings("db1/3306/7", true, List.of(), List.of()));
  }

  @Test
  void settingsThatLoseCommitsInACrashAreFound() {
    assertThat(with("sync_binlog", "0").visibleIsDurable()).isFalse();
    assertThat(with("sync_binlog", "0").weakDurability())
        .singleElement()
        .asString()
        .startsWith("sync_binlog is 0:");
    ServerSettings lazy = with("innodb_flush_log_at_trx_commit", "2");
    assertThat(lazy.visibleIsDurable()).isFalse();
    assertThat(lazy.weakDurability())
        .singleElement()
        .asString()
        .startsWith("innodb_flush_log_at_trx_commit is 2:");
    for (String off : List.of("0", "OFF", "DETECT_ONLY")) {
      assertThat(with("innodb_doublewrite", off).weakDurability())
          .singleElement()
          .asString()
          .startsWith("innodb_doublewrite is ");
    }
  }

  /** Its acknowledged commits are durable; what is seen may not be yet. */
  @Test
  void aServerWithoutABinaryLogHasNoFindingsButSeenKeysMayNotBeDurable() {
    ServerSettings settings = with("log_bin", "OFF", "sync_binlog", "0");
    assertThat(settings.weakDurability()).isEmpty();
    assertThat(settings.visibleIsDurable()).isFalse();
  }

  @Test
  void severalPrimariesAreFound() {
    assertThat(with("wsrep_on", "ON").severalPrimaries())
        .singleElement()
        .asString()
        .startsWith("wsrep_on is ON: every server accepts writes");
    assertThat(
            with(
                    "group_replication_group_name",
                    "5107b100-0000-4000-8000-000000000001",
                    "group_replication_single_primary_mode",
                    "OFF")
                .severalPrimaries())
        .singleElement()
        .asString()
        .startsWith("group_replication_single_primary_mode is OFF: every server accepts writes");
  }

  @Test
  void onePrimaryIsNoFinding() {
    assertThat(with("wsrep_on", "OFF").severalPrimaries()).isEmpty();
    assertThat(
            with(
                    "group_replication_group_name",
                    "5107b100-0000-4000-8000-000000000001",
                    "group_replication_single_primary_mode",
                    "ON")
                .severalPrimaries())
        .isEmpty();
    // The plugin is there and not in use.
    assertThat(
            with("group_replication_group_name", "", "group_replication_single_primary_mode", "OFF")
                .severalPrimaries())
        .isEmpty();
  }
}
