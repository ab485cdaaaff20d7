/**
 * What the rest shares to handle failures: which failures another attempt may overcome, the pauses
 * between attempts, and the exceptions of the public API.
 *
 * <p>The loops are elsewhere: {@code Waiting} repeats lookups and, by {@code RetriedTransactions},
 * checks and drops; {@code FilterWriter} repeats adds; {@code FilterDirectory} repeats the other
 * work of administrators and the steps of opening. {@code WriteFailures} makes the exceptions that
 * say what happened to keys. Internal.
 */
@NullMarked
package io.github.slotbloom.internal.failure;

import org.jspecify.annotations.NullMarked;
