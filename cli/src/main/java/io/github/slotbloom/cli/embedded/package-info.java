/** The MariaDB server that comes with the command line, for users who have no server. */
@NullMarked
package io.github.slotbloom.cli.embedded;

import org.jspecify.annotations.NullMarked;
