package io.github.slotbloom.internal.transfer;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Similarity;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.bits.FillCount;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
        RemovedElsewhere.ask(one.directory(), engines.tables(b), removedInOne, removedInOther);
    RemovedElsewhere ofOther =
        RemovedElsewhere.ask(one.directory(), engines.tables(a), removedInOther, removedInOne);
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
    List<GenerationRecord> ofFirst = first.filter().generations();
    List<GenerationRecord> ofSecond = second.filter().generations();
    Similarity sum = Similarity.NONE;
    for (int place = 0; place < ofSecond.size(); place++) {
      int partner = pairs.places().indexOf(place);
      sum = sum.plus(pair(partner < 0 ? null : ofFirst.get(partner), ofSecond.get(place)));
    }
    first.requireUnchanged();
    second.requireUnchanged();
    return sum;
  }

  /**
   * @param one null if there is none in the first filter
   */
  private Similarity pair(@Nullable GenerationRecord one, GenerationRecord other) {
    BloomParameters shape = other.parameters();
    FillCount ofOne = new FillCount(shape);
    FillCount ofOther = new FillCount(shape);
    FillCount ofEither = new FillCount(shape);
    Arrays.fill(firstBits, 0);
    long from = 0;
    while (from < shape.slots()) {
      int length = (int) Math.min(FilterScan.RANGE, shape.slots() - from);
      BitSet rows = second.read(other, from, secondBits);
      if (one != null) {
        rows.or(first.read(one, from, firstBits));
      }
      ofOne.add(firstBits, length);
      ofOther.add(secondBits, length);
      for (int i = 0; i < length; i++) {
        secondBits[i] |= firstBits[i];
      }
      ofEither.add(secondBits, length);
      from = rows.isEmpty() ? nextRange(one, other, from) : from + FilterScan.RANGE;
    }
    return Similarity.of(ofOne.fill(), ofOther.fill(), ofEither.fill());
  }

  private long nextRange(@Nullable GenerationRecord one, GenerationRecord other, long from) {
    long next = second.nextRange(other, from);
    return one == null ? next : Math.min(next, first.nextRange(one, from));
  }
}
