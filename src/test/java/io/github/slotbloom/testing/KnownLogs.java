package io.github.slotbloom.testing;

/** Warnings that several test classes provoke, for {@link ExpectedLog} and {@link PossibleLog}. */
public final class KnownLogs {

  /** A filter reached its capacity or nearly did. */
  public static final String CAPACITY_REACHED =
      "^WARN CapacityWatch - filter (\\w+|\".+\") is (nearly )?full";

  /** The content of a mirror could no longer be brought up to date from the tables. */
  public static final String MIRROR_RELOADED =
      "^WARN Mirror - the mirror of filter (\\w+|\".+\") is reloaded: ";

  /** The folder found a filter that is damaged, changed or gone, or it lost its connection. */
  public static final String FOLDING_FAILED =
      "^WARN Folder - folding filter (\\w+|\".+\") failed; will retry: ";

  /** Folding, trimming, sweeping or reporting usage failed, as it does when connections break. */
  public static final String BACKGROUND_FAILED =
      "^WARN (Folder - folding filter|Trimmer - trimming the journal of|Trimmer - dropping the"
          + " tables that|UsageRecorder - the usage of) ";

  /** A filter could not grow in the background. */
  public static final String SELF_GROWTH_FAILED =
      "^WARN SelfGrowth - filter (\\w+|\".+\") cannot grow automatically right now";

  /** The next bucket of a window could not be prepared in the background. */
  public static final String ROTATION_FAILED =
      "^WARN SelfRotation - filter (\\w+|\".+\") cannot prepare its next bucket right now, so its"
          + " keys";

  /** The server's settings allow a crash to undo acknowledged changes. */
  public static final String WEAK_DURABILITY = "^WARN ServerWatch - weak durability: ";

  /** Other servers take writes, too. */
  public static final String SEVERAL_PRIMARIES = "^WARN ServerWatch - more than one primary: ";

  /** The primary answers what secondaries were to answer. */
  public static final String NO_SECONDARY = "^WARN Secondaries - no secondary answers, ";

  /** An executor of the application rejected a notification. */
  public static final String CALLBACKS_REFUSED =
      "^WARN Callbacks - the application's callback executor ";

  /** Work could not start because no thread was available. */
  public static final String NOT_BEGUN = "^WARN BackgroundTask - .* did not begin; will retry: ";

  /** Background work threw an unexpected exception. */
  public static final String WORK_FAILED =
      "^ERROR (BackgroundTask - .* failed|WriteQueue - writing to filter (\\w+|\".+\") failed)";

  /** Flyway repeats the server's message when a migration runs again. */
  public static final String TABLE_EXISTS =
      "^WARN ErrorOverridesSupportStub - DB: Table 'bloom_\\w+' already exists ";

  /** What was asked of a filter was told at a moment at which its catalog row was damaged. */
  public static final String USAGE_NOT_RECORDED =
      "^WARN UsageRecorder - the usage of filter (\\w+|\".+\") was not recorded: ";

  /** ShardingSphere notes the tables of two filters that were made at once. */
  public static final String TABLES_LISTED_AT_ONCE =
      "MetaDataVersionPersistService.*There are multiple versions";

  private KnownLogs() {}
}
