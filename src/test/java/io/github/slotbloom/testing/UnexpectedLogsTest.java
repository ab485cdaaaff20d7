package io.github.slotbloom.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.commons.support.AnnotationSupport.findRepeatableAnnotations;

import java.lang.reflect.Method;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tests the comparison of logged events with the declared ones. */
class UnexpectedLogsTest {

  private static final Logger log = LoggerFactory.getLogger(UnexpectedLogsTest.class);

  @ExpectedLog("^WARN Pump - water")
  @ExpectedLog(value = "fire", times = 2)
  @PossibleLog("smoke")
  private static void sample() {}

  private static UnexpectedLogs.Complaints complaints(String... texts) throws Exception {
    Method sample = UnexpectedLogsTest.class.getDeclaredMethod("sample");
    return UnexpectedLogs.complaints(
        Arrays.stream(texts).map(text -> new LoggedEvent(text, "main", "sample", null)).toList(),
        findRepeatableAnnotations(sample, ExpectedLog.class),
        findRepeatableAnnotations(sample, PossibleLog.class));
  }

  @Test
  void expectedMessagesAreAccepted() throws Exception {
    for (String[] texts :
        new String[][] {
          {"WARN Pump - water", "ERROR Pump - fire", "ERROR Pump - fire again"},
          {"ERROR A - fire", "WARN B - smoke", "WARN Pump - water is hot", "WARN C - fire"},
        }) {
      UnexpectedLogs.Complaints complaints = complaints(texts);
      assertThat(complaints.missed()).isEmpty();
      assertThat(complaints.unexpected()).isEmpty();
    }
  }

  @Test
  void missingAndRepeatedMessagesAreFound() throws Exception {
    assertThat(complaints("ERROR A - fire", "ERROR A - fire").missed())
        .singleElement()
        .asString()
        .contains("0 times", "water");
    assertThat(complaints("WARN Pump - water", "ERROR A - fire").missed())
        .singleElement()
        .asString()
        .contains("1 times", "fire");
    assertThat(complaints("WARN Pump - water", "A fire", "B fire", "C fire").missed())
        .singleElement()
        .asString()
        .contains("3 times", "fire");
  }

  @Test
  void unexpectedMessagesAreFound() throws Exception {
    assertThat(
            complaints("WARN Pump - water", "ERROR A - fire", "ERROR A - fire", "WARN B - steam")
                .unexpected())
        .extracting(LoggedEvent::text)
        .containsExactly("WARN B - steam");
  }

  @Test
  @ExpectedLog(value = "^WARN UnexpectedLogsTest - 7 of 8$", times = 1)
  @ExpectedLog(value = "^ERROR UnexpectedLogsTest - in other words$", times = 1)
  void messagesOfATestAreCaptured() {
    log.info("no news");
    log.warn("{} of {}", 7, 8);
    log.atError().setMessage("in other words").log();
  }
}
