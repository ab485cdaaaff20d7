package io.github.slotbloom.internal.store.catalog;

import io.github.slotbloom.internal.store.Tables.Generations;
import io.github.slotbloom.internal.store.Tx;
import java.util.List;

/** Examines the rows of generations that do not answer. */
public final class GenerationAudit {

  private GenerationAudit() {}

  /**
   * Returns the numbers of generations that do not answer, although no operation took them out of
   * use. Replaced generations do not count, as they are older than the oldest that answers.
   * Abandoned ones do not count, as giving a generation up changes its token.
   */
  public static List<Integer> outOfUse(Tx tx, FilterRecord filter) {
    return tx.dsl()
        .select(Generations.GENERATION)
        .from(Generations.TABLE)
        .where(Generations.FILTER_ID.eq(filter.id()))
        .and(Generations.GENERATION.gt(filter.generations().get(0).number()))
        .and(
            Generations.STATE.in(
                GenerationState.RETIRED.name(),
                GenerationState.ABORTED.name(),
                GenerationState.DROPPED.name()))
        .and(Generations.STATE_TOKEN.eq(Generations.SINCE_TOKEN))
        .orderBy(Generations.GENERATION)
        .fetch(Generations.GENERATION);
  }
}
