package io.github.slotbloom.testing;

/** Warnings that several test classes provoke, for {@link ExpectedLog} and {@link PossibleLog}. */
public final class KnownLogs {

  /** A filter reached its capacity, or nearly. */
  public static final String CAPACITY_REACHED =
      "^WARN CapacityWatch - filter \\w+ is (nearly )?full";

  /** What a mirror held no longer leads to what the tables hold. */
  public static final String MIRROR_RELOADED =
      "^WARN Mirror - the mirror of filter \\w+ is loaded anew: ";

  /** The folder met a filter that is damaged, changed or gone, or lost its connection. */
  public static final String FOLDING_FAILED =
      "^WARN Folder - folding filter \\w+ failed and will be tried again: ";

  /** Folding, trimming or telling usage failed, as where connections break. */
  public static final String BACKGROUND_FAILED =
      "^WARN (Folder - folding filter|Trimmer - trimming the journal of|UsageRecorder - the usage"
          + " of) ";

  /** A filter could not be made larger in the background. */
  public static final String SELF_GROWTH_FAILED =
      "^WARN SelfGrowth - filter \\w+ cannot grow by itself at present";

  /** The server's settings let a crash take back what was acknowledged. */
  public static final String WEAK_DURABILITY = "^WARN ServerWatch - weak durability: ";

  /** An executor of the application did not take what was to be told. */
  public static final String CALLBACKS_REFUSED =
      "^WARN Callbacks - the callback executor of the application ";

  /** Work was not begun, since no thread could be had for it. */
  public static final String NOT_BEGUN =
      "^WARN BackgroundTask - .* did not begin, and will be tried again: ";

  /** Work in the background threw what nobody expected. */
  public static final String WORK_FAILED =
      "^ERROR (BackgroundTask - .* failed|WriteQueue - writing to filter \\w+ failed)";

  /** Flyway could not make a table or a view, as where the account lacks a right. */
  public static final String MIGRATION_FAILED = "^ERROR DbMigrate - Migration of schema ";

  /** Flyway repeats what the server says where a migration is repeated. */
  public static final String TABLE_EXISTS =
      "^WARN ErrorOverridesSupportStub - DB: Table 'bloom_\\w+' already exists ";

  /** What was asked of a filter was told at a moment at which its catalog row was damaged. */
  public static final String USAGE_NOT_RECORDED =
      "^WARN UsageRecorder - the usage of filter \\w+ was not recorded: ";

  private KnownLogs() {}
}
