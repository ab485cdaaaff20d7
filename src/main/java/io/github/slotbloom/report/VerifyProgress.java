package io.github.slotbloom.report;

/**
 * How far verifying a filter is.
 *
 * @param check what it is at
 * @param done how much of that is done
 * @param all how much there is; 0 if that is not known
 */
public record VerifyProgress(Check check, long done, long all) {}
