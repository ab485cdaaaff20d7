package io.github.slotbloom.spring;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * An expression over the arguments of a call, parsed once. Its root object is the bean whose method
 * is called. Thread-safe.
 */
final class CallExpression {

  private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

  private final AnnotatedMethod annotated;
  private final String attribute;
  private final SpelExpression expression;
  private final BeanFactoryResolver beans;

  /**
   * Parses an expression.
   *
   * @param attribute of the annotation, for the message of a failure
   */
  CallExpression(AnnotatedMethod annotated, String attribute, String text, BeanFactory beans) {
    this.annotated = annotated;
    this.attribute = attribute;
    this.beans = new BeanFactoryResolver(beans);
    try {
      this.expression = new SpelExpressionParser().parseRaw(text);
    } catch (ParseException | IllegalArgumentException e) {
      throw annotated.refused(
          e, "its %s is not an expression: '%s' (%s)".formatted(attribute, text, e.getMessage()));
    }
    requireKnown(expression.getAST(), variables(annotated.method()));
  }

  private static Set<String> variables(Method method) {
    Set<String> variables = new HashSet<>(Set.of("root", "this"));
    for (int i = 0; i < method.getParameterCount(); i++) {
      variables.add("p" + i);
      variables.add("a" + i);
    }
    String[] names = NAMES.getParameterNames(method);
    if (names != null) {
      variables.addAll(Arrays.asList(names));
    }
    return variables;
  }

  private void requireKnown(SpelNode node, Set<String> variables) {
    if (node instanceof VariableReference) {
      String name = node.toStringAST().substring(1);
      if (!variables.contains(name)) {
        throw annotated.refused(
            ("its %s '%s' has a variable #%s that is not one of its parameters. If it is, compile"
                    + " the class with -parameters, or write #p0 for the first parameter")
                .formatted(attribute, expression.getExpressionString(), name));
      }
    }
    for (int i = 0; i < node.getChildCount(); i++) {
      requireKnown(node.getChild(i), variables);
    }
  }

  /**
   * Evaluates it.
   *
   * @throws IllegalArgumentException if that fails for the arguments of this call
   */
  @Nullable Object of(MethodInvocation call) {
    Object target = call.getThis();
    MethodBasedEvaluationContext context =
        new MethodBasedEvaluationContext(
            target == null ? annotated : target, annotated.method(), call.getArguments(), NAMES);
    context.setBeanResolver(beans);
    try {
      return expression.getValue(context);
    } catch (EvaluationException e) {
      throw new IllegalArgumentException(
          ("%s did not run: the %s of this call, '%s', cannot be evaluated (%s). Call the"
                  + " method with arguments that have one.")
              .formatted(annotated, attribute, this, e.getMessage()),
          e);
    }
  }

  @Override
  public String toString() {
    return expression.getExpressionString();
  }
}
