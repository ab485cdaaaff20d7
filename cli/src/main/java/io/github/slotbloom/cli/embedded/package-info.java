/** The MariaDB server that the command line brings along for those who have none. */
@NullMarked
package io.github.slotbloom.cli.embedded;

import org.jspecify.annotations.NullMarked;
