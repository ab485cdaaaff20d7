package io.github.slotbloom.internal.verify;

import io.github.slotbloom.internal.engine.GivenKeys;
import io.github.slotbloom.report.VerifyProgress;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a filter is to be verified.
 *
 * @param samples random keys to measure the error rate with; 0 for none
 * @param seed of those keys
 * @param given keys that have to be in the filter; null if none were given
 * @param repair whether what needs no guess is to be mended
 * @param timeout how long one step may be tried
 * @param progress hears how far it is
 */
public record VerifyPlan(
    long samples,
    long seed,
    @Nullable GivenKeys given,
    boolean repair,
    Duration timeout,
    Consumer<VerifyProgress> progress) {}
