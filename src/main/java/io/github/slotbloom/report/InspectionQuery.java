package io.github.slotbloom.report;

/**
 * A query about one filter, for any client of MySQL or MariaDB. It only reads.
 *
 * @param title the topic, in a few words
 * @param comment the meaning and the cost of the query, in one or several lines
 * @param sql one SELECT, ready to run in the schema of the filter; ends with a semicolon
 */
public record InspectionQuery(String title, String comment, String sql) {}
