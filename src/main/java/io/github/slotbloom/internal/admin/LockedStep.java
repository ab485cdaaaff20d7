package io.github.slotbloom.internal.admin;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A step of an administrator that waits for the lock of a filter. */
final class LockedStep {

  private static final Logger log = LoggerFactory.getLogger(LockedStep.class);

  private LockedStep() {}

  /**
   * Runs work that takes the lock of a filter. If a statement waits in vain, the work is done once
   * more: a server counts the time that it stood still, and folding on a slow one takes long. If
   * the lock is held then as well, says so.
   *
   * @param what what could not be done, as part of a sentence
   * @param verb what is to be done again
   * @param work may be repeated
   * @throws FilterUnavailableException if it is held
   */
  static void run(FilterName name, String what, String verb, Runnable work) {
    for (boolean again = true; ; again = false) {
      try {
        work.run();
        return;
      } catch (FilterUnavailableException e) {
        if (!(e.getCause() instanceof DatabaseFailure f && f.lockWaitTimeout())) {
          throw e;
        }
        if (!again) {
          throw new FilterUnavailableException(
              ("Filter %s could not %s: its lock is held, perhaps by an application's transaction"
                      + " that added to it and has not ended. End that transaction, then %s the"
                      + " filter again.")
                  .formatted(name, what, verb),
              e);
        }
        log.debug("filter {} could not {} yet, since its lock is held", name, what, e);
      }
    }
  }
}
