package io.github.slotbloom;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.store.FilterRecord;
import io.github.slotbloom.store.GenerationRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

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
   * Pairs each generation of the one filter that answers with one of the other that does.
   *
   * @param what is to be done with them, part of a sentence
   * @throws FilterMismatchException if the filters have other parameters, or a generation has no
   *     partner; the message shows both sides
   */
  static GenerationPairs of(FilterRecord from, FilterRecord into, String what) {
    List<String> differences = new ArrayList<>();
    compare(differences, "key type", from.keyType(), into.keyType());
    compare(differences, "hash", from.hash(), into.hash());
    // A seed may be a secret.
    if (from.seed() != into.seed()) {
      differences.add("their seeds differ");
    }
    compare(differences, "layout", from.layout(), into.layout());
    List<Integer> places = places(from, into);
    if (differences.isEmpty() && places.size() < from.generations().size()) {
      compare(differences, "size", shapes(from), shapes(into));
    }
    if (!differences.isEmpty()) {
      throw new FilterMismatchException(
          "Filters "
              + from.name()
              + " and "
              + into.name()
              + " cannot be "
              + what
              + ": "
              + String.join("; ", differences)
              + ". Only filters of the same key type, hash, seed, layout and size can.");
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

  private static String shapes(FilterRecord filter) {
    return filter.generations().stream()
        .map(GenerationRecord::parameters)
        .map(shape -> shape.bits() + " bits and " + shape.hashes() + " a key")
        .collect(Collectors.joining(", then "));
  }

  private static void compare(List<String> differences, String what, Object one, Object other) {
    if (!one.equals(other)) {
      differences.add("the " + what + " is " + one + " here and " + other + " there");
    }
  }
}
