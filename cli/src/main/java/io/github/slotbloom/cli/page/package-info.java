/**
 * Turns the data of a filter into its HTML report. It reads no database and no clock. This code
 * computes positions; the template beside it holds all markup.
 */
@NullMarked
package io.github.slotbloom.cli.page;

import org.jspecify.annotations.NullMarked;
