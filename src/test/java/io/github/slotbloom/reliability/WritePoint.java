package io.github.slotbloom.reliability;

/** Where an add or a removal is interrupted. The mirror hears of it only after its commit. */
enum WritePoint {
  BEFORE_THE_JOURNAL(Catch.before("insert into .bloom_journal"), false),
  BEFORE_COMMIT(Catch.beforeCommitOf("insert into .bloom_journal"), false),
  AFTER_COMMIT(Catch.afterCommitOf("insert into .bloom_journal"), true),
  ALONE_BEFORE_THE_JOURNAL(Catch.before("insert into .bloom_journal"), false),
  ALONE_HALF_WAY(Catch.halfWay("insert into .bloom_journal"), false),
  ALONE_AFTER_THE_JOURNAL(Catch.after("insert into .bloom_journal"), true);

  final Catch where;
  final boolean recorded;

  WritePoint(Catch where, boolean recorded) {
    this.where = where;
    this.recorded = recorded;
  }

  /** Whether the process has added by itself before, so that it takes the shorter way. */
  boolean alone() {
    return name().startsWith("ALONE");
  }
}
