/**
 * Sessions of MySQL and MariaDB: lent, prepared and restored; and the errors of the server.
 * Internal.
 */
@NullMarked
package io.github.slotbloom.internal.store.session;

import org.jspecify.annotations.NullMarked;
