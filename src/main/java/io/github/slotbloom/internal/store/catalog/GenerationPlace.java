package io.github.slotbloom.internal.store.catalog;

/**
 * Where the next generation of a filter goes.
 *
 * @param number its number in the filter
 * @param slotTable the name of its slot table
 * @param tableNumber the number in that name; 0 if the generation was begun before
 */
public record GenerationPlace(int number, String slotTable, int tableNumber) {

  /** Returns true if the generation was begun before, and not finished. */
  boolean isTaken() {
    return tableNumber == 0;
  }
}
