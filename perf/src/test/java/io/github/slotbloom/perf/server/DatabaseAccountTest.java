package io.github.slotbloom.perf.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class DatabaseAccountTest {

  private final DatabaseAccount account =
      new DatabaseAccount(DatabaseServer.url("10.0.0.1", 3306, "seen"), "user", "password");

  @Test
  void theAddressIsThatOfTheUrl() {
    assertThat(account.address()).isEqualTo(new InetSocketAddress("10.0.0.1", 3306));
  }

  @Test
  void anotherAddressChangesNothingElse() {
    assertThat(account.at(new InetSocketAddress("127.0.0.1", 40_000)))
        .isEqualTo(
            new DatabaseAccount(
                DatabaseServer.url("127.0.0.1", 40_000, "seen"), "user", "password"));
  }
}
