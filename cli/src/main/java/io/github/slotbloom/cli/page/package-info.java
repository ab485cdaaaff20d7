/**
 * The page that the report of a filter is: what was read of it goes in, HTML comes out. It reads no
 * database and no clock. Positions are computed here; all markup is in the template beside it.
 */
@NullMarked
package io.github.slotbloom.cli.page;

import org.jspecify.annotations.NullMarked;
