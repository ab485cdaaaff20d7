package io.github.slotbloom.reliability;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.testing.KillableServers;

/** A server that the others go on without, and that may not know it. */
final class SeparatedServer {

  private static final int SOME = 200;

  /** Something that is done to a server. */
  interface Change {
    void of(int number) throws Exception;
  }

  private SeparatedServer() {}

  /**
   * Asks the server for a key that was added since.
   *
   * @param fault has the others go on without it
   * @param beforeAsking lets it answer
   * @param afterAsking lets it join the others
   */
  static void deniesNothing(
      KillableServers servers,
      SharedFilter shared,
      int number,
      Change fault,
      Change beforeAsking,
      Change afterAsking)
      throws Exception {
    BloomFilter<String> mirrored = shared.openOn(servers.dataSources().get(number), true);
    BloomFilter<String> direct = shared.openOn(servers.dataSources().get(number), false);
    ContestedKeys keys = shared.contest();
    keys.awaitProgress(SOME);
    fault.of(number);
    servers.awaitWithout(number);
    keys.awaitProgress(SOME);
    String key = keys.recent();
    beforeAsking.of(number);
    for (int i = 0; i < 3; i++) {
      ContestedKeys.assertNeverDenied(mirrored, key);
      ContestedKeys.assertNeverDenied(direct, key);
    }
    afterAsking.of(number);
    servers.join(number);
    keys.awaitProgress(SOME);
    keys.check(shared.bloom(0));
  }
}
