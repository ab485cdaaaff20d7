package io.github.slotbloom.resp.command;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.resp.protocol.Request;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a request is about.
 *
 * @param keys in order
 * @param make the parameters of the filter if it is missing; null if it must not be created
 */
record Items(List<byte[]> keys, @Nullable Supplier<FilterSpec<byte[]>> make) {

  /** Returns the words behind the name of the filter. */
  static Items of(Request request, @Nullable Supplier<FilterSpec<byte[]>> make) {
    return new Items(request.wordsFrom(2), make);
  }
}
