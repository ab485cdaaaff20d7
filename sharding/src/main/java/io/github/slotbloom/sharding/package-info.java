/** Filters on many servers behind ShardingSphere: classes to copy into an application. */
@NullMarked
package io.github.slotbloom.sharding;

import org.jspecify.annotations.NullMarked;
