package io.github.slotbloom.report;

/**
 * The progress of a verification.
 *
 * @param check the present check
 * @param done the number of items that this check has done
 * @param all the total number of items; 0 if it is unknown
 */
public record VerifyProgress(Check check, long done, long all) {}
