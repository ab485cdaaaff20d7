package io.github.slotbloom.testing;

import java.io.IOException;

/** A database whose server can fail while clients use it. Each client has a network of its own. */
public interface FailingDatabase extends AutoCloseable {

  /** Returns the database as clients see it. */
  TestDatabase database();

  /** Creates another network, which fails independently of the others. */
  FaultyNetwork anotherNetwork() throws IOException;

  /**
   * Has the server that takes writes fail, and returns when all is as before.
   *
   * @param pause called while it is down
   */
  void fail(Runnable pause) throws Exception;

  @Override
  void close() throws IOException;
}
