package io.github.slotbloom.cli;

/**
 * The exit codes that the command line returns to the caller's shell. When a signal ends the
 * process, the virtual machine returns 128 plus the signal's number: 129 after SIGHUP, 130 after
 * Ctrl-C, 143 after SIGTERM.
 */
public final class ExitCode {

  public static final int DONE = 0;
  public static final int FAILURE = 1;
  public static final int USAGE = 2;

  /** The answer to a question is no. */
  public static final int NO = 3;

  /**
   * The filter holds as many keys as its capacity allows, or as many are removed from it as may be.
   */
  public static final int FULL = 4;

  /** The database could not be reached or did not answer in time. */
  public static final int UNREACHABLE = 5;

  /** Verifying a filter found damage. */
  public static final int DAMAGED = 6;

  /**
   * The command is done, but the filter has a false positive rate far above its target: new lines
   * may be missing.
   */
  public static final int INACCURATE = 7;

  /** The code that a shell reports for a program that SIGPIPE ended. */
  public static final int READER_LEFT = 141;

  private ExitCode() {}
}
