package io.github.slotbloom.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Looks at all methods with {@link Deduplicate} when the application starts: a method that runs
 * without being deduplicated, or that fails at its first call, would be found too late.
 */
final class DeduplicateStartupCheck implements SmartInitializingSingleton {

  private final ConfigurableListableBeanFactory beans;
  private final DeduplicateAdvisor advisor;

  DeduplicateStartupCheck(ConfigurableListableBeanFactory beans, DeduplicateAdvisor advisor) {
    this.beans = beans;
    this.advisor = advisor;
  }

  @Override
  public void afterSingletonsInstantiated() {
    for (String name : beans.getBeanDefinitionNames()) {
      Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
      if (type != null && AnnotationUtils.isCandidateClass(type, Deduplicate.class)) {
        check(name, type);
      }
    }
  }

  private void check(String name, Class<?> type) {
    Set<Method> annotated =
        MethodIntrospector.selectMethods(
            type,
            (Method method) -> AnnotatedElementUtils.hasAnnotation(method, Deduplicate.class));
    for (Method method : annotated) {
      AnnotatedMethod found =
          new AnnotatedMethod(
              method,
              type,
              Objects.requireNonNull(
                  AnnotatedElementUtils.findMergedAnnotation(method, Deduplicate.class)));
      requireInterceptable(found);
      requireIntercepted(found, beans.getSingleton(name));
      advisor.methods().of(method, type);
    }
  }

  private static void requireInterceptable(AnnotatedMethod annotated) {
    int modifiers = annotated.method().getModifiers();
    for (int forbidden : new int[] {Modifier.PRIVATE, Modifier.STATIC, Modifier.FINAL}) {
      if ((modifiers & forbidden) != 0) {
        throw annotated.refused(
            ("it is %s, so Spring cannot intercept it. Make it an ordinary method of a bean, and"
                    + " call it from another bean")
                .formatted(Modifier.toString(forbidden)));
      }
    }
  }

  private void requireIntercepted(AnnotatedMethod annotated, @Nullable Object bean) {
    if (bean == null || AopUtils.getTargetClass(bean) != annotated.type()) {
      return; // It is made later, or by a factory.
    }
    boolean advised =
        bean instanceof Advised proxy && Arrays.asList(proxy.getAdvisors()).contains(advisor);
    if (!advised) {
      throw annotated.refused(
          "its bean is not proxied, because it was needed before proxies could be created. Move the"
              + " method to a bean that is not needed so early");
    }
    if (AopUtils.isJdkDynamicProxy(bean) && !isInAnInterface(annotated, bean)) {
      throw annotated.refused(
          "its bean is proxied by its interfaces, and none of them has the method. Add it to an"
              + " interface, or let Spring proxy classes");
    }
  }

  /** The types of the parameters may differ, as in a generic interface. */
  private static boolean isInAnInterface(AnnotatedMethod annotated, Object proxy) {
    return Arrays.stream(proxy.getClass().getInterfaces())
        .flatMap(one -> Arrays.stream(one.getMethods()))
        .map(method -> AopUtils.getMostSpecificMethod(method, annotated.type()))
        .anyMatch(annotated.method()::equals);
  }
}
