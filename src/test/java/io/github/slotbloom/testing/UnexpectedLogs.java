package io.github.slotbloom.testing;

import static org.junit.platform.commons.support.AnnotationSupport.findRepeatableAnnotations;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/**
 * Fails a test that logs a warning or an error without naming it in {@link ExpectedLog} or {@link
 * PossibleLog}. Also fails a test that does not log what it expects. JUnit finds this extension
 * automatically and uses it for all tests.
 */
public final class UnexpectedLogs
    implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {

  /**
   * JUnit's logger for temporary directories. The field keeps the logger alive; otherwise its level
   * would be lost.
   */
  private static final Logger TEMPORARY_DIRECTORIES =
      Logger.getLogger("org.junit.jupiter.engine.extension.TempDirectory$CloseablePath");

  static {
    // JUnit warns about links that lead out of a temporary directory. Tests create such links on
    // purpose. Failures are still thrown.
    TEMPORARY_DIRECTORIES.setLevel(Level.SEVERE);
  }

  /**
   * Small filters get full in tests, and each object that has such a filter open logs this once.
   */
  private static final Pattern ALWAYS_POSSIBLE =
      Pattern.compile(KnownLogs.CAPACITY_REACHED + "|" + KnownLogs.TABLES_LISTED_AT_ONCE);

  /** The differences between the expected and the actual log of a test. */
  record Complaints(List<String> missed, List<LoggedEvent> unexpected) {}

  @Override
  public void beforeAll(ExtensionContext context) {
    Class<?> factory = LoggerFactory.getILoggerFactory().getClass();
    if (factory.getEnclosingClass() != CapturingLogs.class) {
      throw new IllegalStateException(
          "What the tests log goes to "
              + factory
              + ". Start them with -Dslf4j.provider="
              + CapturingLogs.class.getName());
    }
    LogCapture.during(context.getDisplayName());
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    LogCapture.during(context.getDisplayName());
  }

  /** Runs after the test class's own methods for this moment. */
  @Override
  public void afterEach(ExtensionContext context) {
    List<ExpectedLog> expected =
        findRepeatableAnnotations(context.getRequiredTestMethod(), ExpectedLog.class);
    List<PossibleLog> possible = new ArrayList<>(possibleInClass(context));
    possible.addAll(findRepeatableAnnotations(context.getRequiredTestMethod(), PossibleLog.class));
    Complaints complaints = complaints(LogCapture.take(), expected, possible);
    LogCapture.during(context.getRequiredTestClass().getSimpleName());
    // A test that failed or was skipped half way may have logged less.
    boolean ended = context.getExecutionException().isEmpty();
    report(ended ? complaints.missed() : List.of(), complaints.unexpected());
  }

  @Override
  public void afterAll(ExtensionContext context) {
    LogCapture.stop();
    Complaints complaints = complaints(LogCapture.take(), List.of(), possibleInClass(context));
    report(List.of(), complaints.unexpected());
  }

  private static List<PossibleLog> possibleInClass(ExtensionContext context) {
    return findRepeatableAnnotations(context.getRequiredTestClass(), PossibleLog.class);
  }

  static Complaints complaints(
      List<LoggedEvent> logged, List<ExpectedLog> expected, List<PossibleLog> possible) {
    List<String> missed = new ArrayList<>();
    List<LoggedEvent> unexpected = new ArrayList<>(logged);
    for (ExpectedLog expectation : expected) {
      List<LoggedEvent> found = matching(logged, expectation.value());
      unexpected.removeAll(found);
      boolean enough =
          expectation.times() == ExpectedLog.AT_LEAST_ONCE
              ? !found.isEmpty()
              : found.size() == expectation.times();
      if (!enough) {
        missed.add("expected, but logged " + found.size() + " times: " + expectation);
      }
    }
    possible.forEach(one -> unexpected.removeAll(matching(logged, one.value())));
    unexpected.removeIf(event -> ALWAYS_POSSIBLE.matcher(event.text()).find());
    return new Complaints(missed, unexpected);
  }

  private static List<LoggedEvent> matching(List<LoggedEvent> events, String regex) {
    Pattern pattern = Pattern.compile(regex);
    return events.stream().filter(event -> pattern.matcher(event.text()).find()).toList();
  }

  private static void report(List<String> missed, List<LoggedEvent> unexpected) {
    if (missed.isEmpty() && unexpected.isEmpty()) {
      return;
    }
    StringBuilder message =
        new StringBuilder(
            "A test names the warnings and errors that it logs (@ExpectedLog, @PossibleLog).");
    missed.forEach(line -> message.append("\n  ").append(line));
    unexpected.forEach(event -> message.append("\n  not expected: ").append(event));
    AssertionError failure = new AssertionError(message.toString());
    for (LoggedEvent event : unexpected) {
      if (event.thrown() != null) {
        failure.addSuppressed(event.thrown());
      }
    }
    throw failure;
  }
}
