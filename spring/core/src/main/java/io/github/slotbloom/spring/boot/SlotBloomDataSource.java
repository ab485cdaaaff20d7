package io.github.slotbloom.spring.boot;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Marks the data source that holds the filters, where there are several and it is not the primary
 * one. Put it on the {@code @Bean} method of the data source. Its transaction manager then is the
 * one that the transactions of filters need.
 */
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Qualifier
public @interface SlotBloomDataSource {}
