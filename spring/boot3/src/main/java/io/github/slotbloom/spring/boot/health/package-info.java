/** The health of filters, for Spring Boot 3. */
@NullMarked
package io.github.slotbloom.spring.boot.health;

import org.jspecify.annotations.NullMarked;
