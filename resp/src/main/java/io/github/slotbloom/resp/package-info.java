/**
 * A server that speaks the protocol of Redis, so that any Redis client can use filters that live in
 * MySQL. {@link io.github.slotbloom.resp.RedisServer} is all that an application needs; the other
 * packages are internal and may change in any release.
 */
@NullMarked
package io.github.slotbloom.resp;

import org.jspecify.annotations.NullMarked;
