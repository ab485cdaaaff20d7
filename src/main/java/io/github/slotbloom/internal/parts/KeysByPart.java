package io.github.slotbloom.internal.parts;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a list, divided among the parts that they belong to. Within a part they keep their
 * order.
 *
 * @param size how many keys the list has
 * @param shares the keys of each part that has any, in the order of the parts
 * @param <K> the type of the keys
 */
public record KeysByPart<K>(int size, List<Share<K>> shares) {

  /** The keys of one part. */
  public static final class Share<K> {
    private final int part;
    private final List<K> keys = new ArrayList<>();
    private int[] places = new int[8];

    private Share(int part) {
      this.part = part;
    }

    private void add(K key, int place) {
      if (keys.size() == places.length) {
        places = Arrays.copyOf(places, 2 * places.length);
      }
      places[keys.size()] = place;
      keys.add(key);
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
    List<@Nullable Share<K>> ofPart = new ArrayList<>(Collections.nCopies(parts, null));
    int place = 0;
    for (K key : keys) {
      int part = partOf.applyAsInt(key);
      Share<K> share = ofPart.get(part);
      if (share == null) {
        share = new Share<>(part);
        ofPart.set(part, share);
      }
      share.add(key, place++);
    }
    return new KeysByPart<>(place, ofPart.stream().flatMap(Stream::ofNullable).toList());
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
