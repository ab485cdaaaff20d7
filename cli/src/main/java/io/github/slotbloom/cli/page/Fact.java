package io.github.slotbloom.cli.page;

/**
 * A line of a table.
 *
 * @param note what the value means, or nothing
 */
record Fact(String name, String value, String note) {}
