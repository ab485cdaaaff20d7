package io.github.slotbloom.testing;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Gives waits without a limit of their own a minute instead of ten seconds: on a machine with much
 * to do, servers and processes may take as long, and nothing is wrong. What is waited for is looked
 * at often, since hundreds of tests wait. JUnit finds this extension automatically and uses it for
 * all tests.
 */
public final class PatientWaits implements BeforeAllCallback {

  @Override
  public void beforeAll(ExtensionContext context) {
    Awaitility.setDefaultTimeout(Duration.ofMinutes(1));
    Awaitility.setDefaultPollInterval(Duration.ofMillis(10));
    Awaitility.setDefaultPollDelay(Duration.ZERO);
  }
}
