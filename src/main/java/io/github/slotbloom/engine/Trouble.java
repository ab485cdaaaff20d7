package io.github.slotbloom.engine;

import org.jspecify.annotations.Nullable;

/**
 * What keeps adds from being written.
 *
 * @param why part of a sentence
 * @param cause what was thrown, if anything was
 */
record Trouble(String why, @Nullable Throwable cause) {}
