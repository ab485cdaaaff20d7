package io.github.slotbloom.cli.page;

/**
 * A table row.
 *
 * @param note the meaning of the value, or an empty text
 */
record Fact(String name, String value, String note) {}
