/** The health of filters, for Spring Boot 4. */
@NullMarked
package io.github.slotbloom.spring.boot.health;

import org.jspecify.annotations.NullMarked;
