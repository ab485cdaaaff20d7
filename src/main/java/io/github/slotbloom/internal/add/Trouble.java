package io.github.slotbloom.internal.add;

import org.jspecify.annotations.Nullable;

/**
 * The reason why adds cannot be written.
 *
 * @param why part of a sentence
 * @param cause what was thrown, if anything was
 */
public record Trouble(String why, @Nullable Throwable cause) {}
