package io.github.slotbloom.perf.memory;

import com.google.common.hash.Funnel;
import com.google.common.hash.Funnels;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.perf.measure.Keys;
import java.nio.charset.StandardCharsets;

/** The types of keys to ask for. Each key is created from a number. */
public enum KeyKind {
  TEXT(KeyType.text(), Funnels.stringFunnel(StandardCharsets.UTF_8)) {
    @Override
    public Object key(long number) {
      return Keys.text(number);
    }
  },
  BYTES(KeyType.bytes(), Funnels.byteArrayFunnel()) {
    @Override
    public Object key(long number) {
      return Keys.bytes(number);
    }
  },
  LONG(KeyType.longs(), Funnels.longFunnel()) {
    @Override
    public Object key(long number) {
      return Keys.scrambled(number);
    }
  };

  private final KeyType<?> type;
  private final Funnel<?> funnel;

  KeyKind(KeyType<?> type, Funnel<?> funnel) {
    this.type = type;
    this.funnel = funnel;
  }

  public abstract Object key(long number);

  /**
   * Returns the key type. It accepts only keys of this kind, although the compiler cannot check
   * that.
   */
  @SuppressWarnings("unchecked")
  public KeyType<Object> type() {
    return (KeyType<Object>) type;
  }

  /**
   * Returns the funnel. It accepts only keys of this kind, although the compiler cannot check that.
   */
  @SuppressWarnings("unchecked")
  public Funnel<Object> funnel() {
    return (Funnel<Object>) funnel;
  }
}
