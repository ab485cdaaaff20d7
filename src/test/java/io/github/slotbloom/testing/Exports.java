package io.github.slotbloom.testing;

import io.github.slotbloom.SlotBloom;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** Exports of filters, in memory. */
public final class Exports {

  private Exports() {}

  public static byte[] export(SlotBloom bloom, String name) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bloom.admin(name).exportTo(bytes);
    return bytes.toByteArray();
  }
}
