package io.github.slotbloom.cli.page;

import io.github.slotbloom.FilterInfo.Generation;

/** A table row for a generation. */
record GenerationRow(
    String number,
    String state,
    String capacity,
    String target,
    String bits,
    String hashes,
    String slotTable,
    String rows,
    String bitsSet,
    String fill,
    String rate) {

  static GenerationRow of(Generation generation) {
    return new GenerationRow(
        Integer.toString(generation.number()),
        Notation.choice(generation.state()),
        Notation.count(generation.capacity()),
        Notation.rate(generation.falsePositiveRate()),
        Notation.count(generation.bits()),
        Integer.toString(generation.hashes()),
        generation.slotTable(),
        Notation.count(generation.slotRows()),
        Notation.count(generation.bitsSet()),
        Notation.share((double) generation.bitsSet() / generation.bits()),
        Notation.rate(generation.currentFalsePositiveRate()));
  }
}
