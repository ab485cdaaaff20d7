package io.github.slotbloom.internal.store.session;

import java.util.function.Consumer;
import java.util.function.Function;

/** Runs work in transactions, each of its own. */
public interface Transactions {

  <T> T ask(Function<Tx, T> work);

  /** Does the same as {@link #ask}, with work that returns nothing. */
  default void run(Consumer<Tx> work) {
    ask(
        tx -> {
          work.accept(tx);
          return true;
        });
  }
}
