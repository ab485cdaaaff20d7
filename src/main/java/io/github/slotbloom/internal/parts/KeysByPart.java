package io.github.slotbloom.internal.parts;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * The keys of a list, divided among the parts that they belong to. Within a part they keep their
 * order. Immutable.
 *
 * @param size how many keys the list has
 * @param shares the keys of each part that has any, in the order of the parts
 * @param <K> the type of the keys
 */
public record KeysByPart<K>(int size, List<Share<K>> shares) {

  /** The keys of one part. Immutable. */
  public static final class Share<K> {
    private final int part;
    private final List<K> keys;
    private final int[] places;

    private Share(int part, List<K> keys, int[] places) {
      this.part = part;
      this.keys = keys;
      this.places = places;
    }

    /** Returns the number of the part. */
    public int part() {
      return part;
    }

    /** Returns its keys. */
    public List<K> keys() {
      return keys;
    }

    /** Returns where a key of this share stands in the list. Places ascend. */
    int place(int key) {
      return places[key];
    }
  }

  /**
   * Divides keys.
   *
   * @param parts how many parts there are
   * @param partOf returns the part that a key belongs to
   */
  public static <K> KeysByPart<K> of(
      Collection<? extends K> keys, int parts, ToIntFunction<? super K> partOf) {
    List<List<K>> ofPart = new ArrayList<>();
    for (int part = 0; part < parts; part++) {
      ofPart.add(new ArrayList<>());
    }
    int[][] places = new int[parts][8];
    int place = 0;
    for (K key : keys) {
      int part = partOf.applyAsInt(key);
      List<K> its = ofPart.get(part);
      if (its.size() == places[part].length) {
        places[part] = Arrays.copyOf(places[part], 2 * its.size());
      }
      places[part][its.size()] = place++;
      its.add(key);
    }
    List<Share<K>> shares = new ArrayList<>();
    for (int part = 0; part < parts; part++) {
      List<K> its = ofPart.get(part);
      if (!its.isEmpty()) {
        shares.add(new Share<>(part, its, Arrays.copyOf(places[part], its.size())));
      }
    }
    return new KeysByPart<>(place, List.copyOf(shares));
  }

  /**
   * Puts the answers of the parts in the order of the list.
   *
   * @param answers the answers to each share, in the order of the shares
   */
  public boolean[] inOrder(List<boolean[]> answers) {
    boolean[] all = new boolean[size];
    for (int i = 0; i < shares.size(); i++) {
      Share<K> share = shares.get(i);
      boolean[] some = answers.get(i);
      for (int j = 0; j < some.length; j++) {
        all[share.place(j)] = some[j];
      }
    }
    return all;
  }

  /** Returns those keys whose answer is true, in their order. */
  public static <K> List<K> where(List<K> keys, boolean[] answers) {
    List<K> chosen = new ArrayList<>();
    for (int i = 0; i < answers.length; i++) {
      if (answers[i]) {
        chosen.add(keys.get(i));
      }
    }
    return chosen;
  }
}
