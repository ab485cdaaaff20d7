package io.github.slotbloom.internal.admin;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Similarity;
import io.github.slotbloom.internal.bits.FillCount;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.catalog.GenerationRecord;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;

/** Counts the bits of two filters, range by range. Not thread-safe. */
public final class Comparing {

  private final FilterScan first;
  private final FilterScan second;
  private final long[] firstBits = new long[FilterScan.RANGE];
  private final long[] secondBits = new long[FilterScan.RANGE];

  Comparing(FilterScan first, FilterScan second) {
    this.first = first;
    this.second = second;
  }

  /**
   * Estimates what two filters have in common.
   *
   * @throws io.github.slotbloom.error.FilterMismatchException if they are not made alike
   */
  public static Similarity compare(
      FilterDirectory directory, FilterEngines engines, FilterName first, FilterName second) {
    for (FilterName name : List.of(first, second)) {
      directory.require(name).requireEverlasting("be compared");
    }
    FilterScan one = FilterScan.begin(directory, engines, first);
    FilterScan other = FilterScan.begin(directory, engines, second);
    FilterRecord a = one.filter();
    FilterRecord b = other.filter();
    boolean inOrder = a.generations().size() <= b.generations().size();
    GenerationPairs pairs =
        inOrder ? GenerationPairs.of(a, b, "compared") : GenerationPairs.of(b, a, "compared");
    long[] removedInOne = one.removed();
    long[] removedInOther = other.removed();
    RemovedElsewhere ofOne =
        RemovedElsewhere.ask(one.directory(), engines.context(b), removedInOne, removedInOther);
    RemovedElsewhere ofOther =
        RemovedElsewhere.ask(one.directory(), engines.context(a), removedInOther, removedInOne);
    long inNeither =
        ofOne.lacking().length
            + ofOther.lacking().length
            + Math.max(ofOne.removed(), ofOther.removed());
    Similarity similarity =
        inOrder
            ? new Comparing(one, other).similarity(pairs)
            : new Comparing(other, one).similarity(pairs).swapped();
    return without(similarity, removedInOne.length, removedInOther.length, inNeither);
  }

  /** Takes removed keys, whose bits are still set, out of estimates. */
  private static Similarity without(
      Similarity ofBits, long removedInFirst, long removedInSecond, long inNeither) {
    double first = Math.max(0, ofBits.first() - removedInFirst);
    double second = Math.max(0, ofBits.second() - removedInSecond);
    double union = Math.max(Math.max(first, second), ofBits.union() - inNeither);
    return new Similarity(first, second, union, ofBits.saturated());
  }

  /**
   * Estimates what the filters have in common, removed keys included. Of generations without a
   * partner, all keys count as keys of that filter alone.
   *
   * @param pairs for each generation of the first one its partner in the second one
   */
  Similarity similarity(GenerationPairs pairs) {
    Similarity sum = Similarity.NONE;
    for (int i = 0; i < pairs.places().size(); i++) {
      sum = sum.plus(pair(i, pairs.places().get(i)));
    }
    int others = second.filter().generations().size();
    Similarity alone =
        IntStream.range(0, others)
            .filter(place -> !pairs.places().contains(place))
            .mapToObj(this::aloneInSecond)
            .reduce(Similarity.NONE, Similarity::plus);
    first.requireUnchanged();
    second.requireUnchanged();
    return sum.plus(alone);
  }

  private Similarity pair(int placeInFirst, int placeInSecond) {
    GenerationRecord one = first.filter().generations().get(placeInFirst);
    GenerationRecord other = second.filter().generations().get(placeInSecond);
    FillCount ofOne = new FillCount(one.parameters());
    FillCount ofOther = new FillCount(one.parameters());
    FillCount ofEither = new FillCount(one.parameters());
    long slots = one.parameters().slots();
    long from = 0;
    while (from < slots) {
      int length = (int) Math.min(FilterScan.RANGE, slots - from);
      BitSet rows = first.read(one, from, firstBits);
      rows.or(second.read(other, from, secondBits));
      ofOne.add(firstBits, length);
      ofOther.add(secondBits, length);
      for (int i = 0; i < length; i++) {
        firstBits[i] |= secondBits[i];
      }
      ofEither.add(firstBits, length);
      from =
          rows.isEmpty()
              ? Math.min(first.nextRange(one, from), second.nextRange(other, from))
              : from + FilterScan.RANGE;
    }
    return Similarity.of(ofOne.fill(), ofOther.fill(), ofEither.fill());
  }

  private Similarity aloneInSecond(int place) {
    GenerationRecord generation = second.filter().generations().get(place);
    FillCount count = new FillCount(generation.parameters());
    long slots = generation.parameters().slots();
    long from = 0;
    while (from < slots) {
      BitSet rows = second.read(generation, from, secondBits);
      count.add(secondBits, (int) Math.min(FilterScan.RANGE, slots - from));
      from = rows.isEmpty() ? second.nextRange(generation, from) : from + FilterScan.RANGE;
    }
    return Similarity.ofSecondAlone(count.fill());
  }
}
