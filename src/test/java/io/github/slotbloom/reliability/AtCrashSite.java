package io.github.slotbloom.reliability;

import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.TestDatabase;
import org.junit.jupiter.api.AfterEach;

/** Gives a class of tests one crash site for each database. */
abstract class AtCrashSite {

  static CrashSite site;

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
    site.heal();
  }
}
