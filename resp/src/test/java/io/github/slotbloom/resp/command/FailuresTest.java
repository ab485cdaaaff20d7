package io.github.slotbloom.resp.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.resp.reply.Reply;
import io.github.slotbloom.testing.ExpectedLog;
import java.sql.SQLException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** A client can tell from the code of an error what to do. */
class FailuresTest {

  private static String told(Throwable failure) {
    return ((Reply.Failure) Failures.reply(new CompletionException(failure))).message();
  }

  private static WriteFailedException write(Outcome outcome, Throwable cause) {
    return new WriteFailedException("f", outcome, 0, "No.", cause);
  }

  @Test
  void whatWasNotRecordedMayBeTriedAgain() {
    assertThat(told(write(Outcome.NOT_RECORDED, null))).isEqualTo("TRYAGAIN not recorded. No.");
    assertThat(told(new FilterUnavailableException("No.", null))).isEqualTo("TRYAGAIN No.");
  }

  @Test
  void whoeverTriesAgainAfterAnUnknownOutcomeIsWarned() {
    assertThat(told(write(Outcome.UNKNOWN, null)))
        .isEqualTo("ERR outcome unknown, so a retry may answer 0. No.");
  }

  @Test
  void whereNothingCanBeWrittenThatIsTold() {
    SQLException denied = new SQLException("denied", "42000", 1142);
    assertThat(told(write(Outcome.NOT_RECORDED, denied))).startsWith("READONLY ");
    assertThat(told(new SchemaException("No.", denied))).startsWith("READONLY ");
    SQLException gone = new SQLException("gone", "08S01", 2013);
    assertThat(told(write(Outcome.NOT_RECORDED, gone))).startsWith("TRYAGAIN ");
  }

  @Test
  void mistakesOfTheClientSayWhatIsWrong() {
    assertThat(told(new InvalidParameterException("No."))).isEqualTo("ERR No.");
  }

  @Test
  @ExpectedLog("a command failed")
  void whatNobodyExpectedIsLogged() {
    assertThat(told(new IllegalStateException("no")))
        .isEqualTo("ERR internal error, see the server's log");
  }
}
