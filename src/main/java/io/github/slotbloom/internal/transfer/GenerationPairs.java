package io.github.slotbloom.internal.transfer;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;

/**
 * Which generation of one filter each generation of another one belongs to, where a key has the
 * same bits in both filters.
 *
 * <p>A bit means the same in two bit arrays only if these have the same layout, m and k. So each
 * generation goes with the oldest one of the other filter that has its shape and that none before
 * it went with.
 *
 * @param places for each generation of the one, oldest first, the place of that of the other
 */
record GenerationPairs(List<Integer> places) {

  /**
   * Pairs each generation of one filter that is active with an active one of the other.
   *
   * @param what is to be done with them, part of a sentence
   * @throws FilterMismatchException if the filters have other parameters, or a generation has no
   *     partner; the message shows both sides
   */
  static GenerationPairs of(FilterRecord from, FilterRecord into, String what) {
    List<String> differences = new ArrayList<>();
    BiFunction<Object, Object, String> sides =
        (one, other) -> one + " in " + from.name() + " and " + other + " in " + into.name();
    compare(differences, "key type is ", from.keyType(), into.keyType(), sides);
    compare(differences, "hash is ", from.hash(), into.hash(), sides);
    // A seed may be a secret.
    compare(differences, "seed differs", from.seed(), into.seed(), (one, other) -> "");
    compare(differences, "layout is ", from.layout(), into.layout(), sides);
    List<Integer> places = places(from, into);
    if (differences.isEmpty() && places.size() < from.generations().size()) {
      differences.add(lackingShape(from, into));
    }
    if (!differences.isEmpty()) {
      throw new FilterMismatchException(
          ("Filters %s and %s cannot be %s: %s. They must have the same key type, hash, seed,"
                  + " layout and size.")
              .formatted(from.name(), into.name(), what, String.join("; ", differences)));
    }
    return new GenerationPairs(places);
  }

  private static List<Integer> places(FilterRecord from, FilterRecord into) {
    List<Integer> places = new ArrayList<>();
    for (GenerationRecord generation : from.generations()) {
      for (int place = 0; place < into.generations().size(); place++) {
        BloomParameters shape = into.generations().get(place).parameters();
        if (!places.contains(place) && shape.equals(generation.parameters())) {
          places.add(place);
          break;
        }
      }
    }
    return places;
  }

  /** Names one generation alone: a filter may have many. */
  private static String lackingShape(FilterRecord from, FilterRecord into) {
    List<BloomParameters> unpaired = new ArrayList<>(shapes(from));
    shapes(into).forEach(unpaired::remove);
    List<BloomParameters> others = shapes(into);
    return "%s has a generation of %s, and %s has none of that size (its newest has %s)"
        .formatted(
            from.name(), size(unpaired.get(0)), into.name(), size(others.get(others.size() - 1)));
  }

  private static List<BloomParameters> shapes(FilterRecord filter) {
    return filter.generations().stream().map(GenerationRecord::parameters).toList();
  }

  private static String size(BloomParameters shape) {
    return String.format(Locale.ROOT, "%,d bits and %d bits per key", shape.bits(), shape.hashes());
  }

  private static void compare(
      List<String> differences,
      String what,
      Object one,
      Object other,
      BiFunction<Object, Object, String> sides) {
    if (!one.equals(other)) {
      differences.add(what + sides.apply(one, other));
    }
  }
}
