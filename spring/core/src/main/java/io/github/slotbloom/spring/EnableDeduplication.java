package io.github.slotbloom.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Lets methods with {@link Deduplicate} run once for each key. Put it on a configuration class of
 * an application without Spring Boot, that has beans for the filters, one {@link
 * SpringTransactions} and a {@code PlatformTransactionManager}. The starters for Boot do it by
 * themselves.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Import(DeduplicationConfiguration.class)
public @interface EnableDeduplication {}
