/**
 * Slotbloom in applications of the Spring Framework, 6.2 or later: adds that join the transaction
 * of the thread ({@link io.github.slotbloom.spring.SpringTransactions}), and methods that run once
 * for each key ({@link io.github.slotbloom.spring.Deduplicate}). Spring Boot is not needed.
 */
@NullMarked
package io.github.slotbloom.spring;

import org.jspecify.annotations.NullMarked;
