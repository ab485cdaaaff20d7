/** The filters that all connections share: opened once, and asked for many clients in one call. */
@NullMarked
package io.github.slotbloom.resp.filter;

import org.jspecify.annotations.NullMarked;
