/**
 * The auto-configuration for Spring Boot 3.5 and 4: filters that are declared by properties are
 * beans. The starters bring it in.
 */
@NullMarked
package io.github.slotbloom.spring.boot;

import org.jspecify.annotations.NullMarked;
