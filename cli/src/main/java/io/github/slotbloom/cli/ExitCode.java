package io.github.slotbloom.cli;

/**
 * What the caller's shell is told. A process that a signal ends is given 128 and the signal's
 * number by the virtual machine: 129 after SIGHUP, 130 after Ctrl-C, 143 after SIGTERM.
 */
public final class ExitCode {

  public static final int DONE = 0;
  public static final int FAILURE = 1;
  static final int USAGE = 2;

  /** A question was answered with no. */
  public static final int NO = 3;

  /** The filter holds as many keys as it was made for. */
  public static final int FULL = 4;

  /** The database could not be reached, or did not answer in time. */
  public static final int UNREACHABLE = 5;

  /** Verifying a filter found damage. */
  public static final int DAMAGED = 6;

  /** Done, on a filter that errs far more often than it should: new lines may be missing. */
  public static final int INACCURATE = 7;

  /** What a shell reports of a program that SIGPIPE ended. */
  public static final int READER_LEFT = 141;

  private ExitCode() {}
}
