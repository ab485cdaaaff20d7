package io.github.slotbloom.reliability;

import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** A test with a crash site for each database, and with a filter of its own for each test. */
@Timeout(300)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
@PossibleLog(KnownLogs.SELF_GROWTH_FAILED)
abstract class AtCrashSite {

  static CrashSite site;

  final CrashedFilter crashed = new CrashedFilter(site);
  final String name = crashed.name();

  @BeforeDatabase
  static void start(TestDatabase like) throws Exception {
    site = new CrashSite(like);
  }

  @AfterDatabase
  static void end() throws Exception {
    site.close();
  }

  @AfterEach
  void heal() {
    crashed.close();
    site.heal();
  }
}
