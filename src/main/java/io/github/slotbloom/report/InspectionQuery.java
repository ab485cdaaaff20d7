package io.github.slotbloom.report;

/**
 * A query about one filter, for any client of MySQL or MariaDB. It reads, and changes nothing.
 *
 * @param title what it shows, in a few words
 * @param comment what it tells, and what it costs; one line or several
 * @param sql one SELECT, ready to run in the schema of the filter; ends with a semicolon
 */
public record InspectionQuery(String title, String comment, String sql) {}
