package io.github.slotbloom.spring;

import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/** Puts {@link DeduplicatedMethod} around the calls of methods with {@link Deduplicate}. */
final class DeduplicateAdvisor extends AbstractPointcutAdvisor {

  private static final long serialVersionUID = 1L;

  /** Outside of the interceptor of transactions, which comes last unless it is ordered. */
  private static final int ORDER = Ordered.LOWEST_PRECEDENCE - 1;

  private final transient DeduplicatedMethods methods;
  private final transient Pointcut annotated = new Annotated();

  DeduplicateAdvisor(DeduplicatedMethods methods) {
    this.methods = methods;
    setOrder(ORDER);
  }

  DeduplicatedMethods methods() {
    return methods;
  }

  @Override
  public Pointcut getPointcut() {
    return annotated;
  }

  @Override
  public MethodInterceptor getAdvice() {
    return this::invoke;
  }

  private @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    Object target = invocation.getThis();
    Class<?> type =
        target == null
            ? invocation.getMethod().getDeclaringClass()
            : AopUtils.getTargetClass(target);
    return methods.of(invocation.getMethod(), type).call(invocation);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }

  private static final class Annotated extends StaticMethodMatcherPointcut {

    Annotated() {
      setClassFilter(type -> AnnotationUtils.isCandidateClass(type, Deduplicate.class));
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
      return AnnotatedElementUtils.hasAnnotation(
          AopUtils.getMostSpecificMethod(method, targetClass), Deduplicate.class);
    }
  }
}
