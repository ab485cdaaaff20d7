package io.github.slotbloom.spring;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterStatus;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.Window;
import java.lang.reflect.Method;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.interceptor.DefaultTransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.util.StringUtils;

/**
 * Makes and keeps what calls of each method with {@link Deduplicate} need: its expressions, its
 * filter and its transaction manager. Thread-safe.
 */
final class DeduplicatedMethods {

  private final ConfigurableListableBeanFactory beans;
  private final Clock clock;

  /** Includes methods that are not public, since Spring gives those transactions as well. */
  private final TransactionAttributeSource transactional =
      new AnnotationTransactionAttributeSource(false);

  private final Map<MethodClassKey, DeduplicatedMethod<?>> made = new ConcurrentHashMap<>();

  DeduplicatedMethods(ConfigurableListableBeanFactory beans, Clock clock) {
    this.beans = beans;
    this.clock = clock;
  }

  /**
   * Returns what calls of a method need.
   *
   * @throws IllegalStateException if the method cannot be deduplicated; the message says why
   */
  DeduplicatedMethod<?> of(Method method, Class<?> type) {
    MethodClassKey key = new MethodClassKey(method, type);
    DeduplicatedMethod<?> known = made.get(key);
    if (known != null) {
      return known;
    }
    DeduplicatedMethod<?> another = make(AopUtils.getMostSpecificMethod(method, type), type);
    DeduplicatedMethod<?> first = made.putIfAbsent(key, another);
    return first == null ? another : first;
  }

  private DeduplicatedMethod<?> make(Method method, Class<?> type) {
    AnnotatedMethod annotated =
        new AnnotatedMethod(
            method,
            type,
            Objects.requireNonNull(
                AnnotatedElementUtils.findMergedAnnotation(method, Deduplicate.class)));
    requireTimely(annotated);
    return make(annotated, filterBean(annotated));
  }

  /**
   * Refuses a listener that is called when a transaction has ended. Spring takes that one for the
   * present one still, so a failure of the listener would roll back nothing.
   */
  private static void requireTimely(AnnotatedMethod annotated) {
    TransactionalEventListener listener =
        AnnotatedElementUtils.findMergedAnnotation(
            annotated.method(), TransactionalEventListener.class);
    if (listener == null || listener.phase() == TransactionPhase.BEFORE_COMMIT) {
      return;
    }
    boolean inAnotherThread =
        AnnotatedElementUtils.hasAnnotation(annotated.method(), Async.class)
            || AnnotatedElementUtils.hasAnnotation(annotated.type(), Async.class);
    if (!inAnotherThread) {
      throw annotated.refused(
          ("it is called after a transaction has ended (%s), and Spring would not begin"
                  + " another one. Make it @Async, or set its phase to BEFORE_COMMIT")
              .formatted(listener.phase()));
    }
  }

  /** Names the type of the keys, which the definition of the bean tells. */
  @SuppressWarnings("unchecked")
  private <K> DeduplicatedMethod<K> make(AnnotatedMethod annotated, String bean) {
    Class<K> keyClass = (Class<K>) keyType(bean).resolve();
    if (keyClass == null) {
      throw annotated.refused(
          ("the key type of filter bean %s is unknown. Declare the bean with it, such as"
                  + " BloomFilter<String>")
              .formatted(bean));
    }
    BloomFilter<K> filter = beans.getBean(bean, BloomFilter.class);
    TransactionAttribute attribute = transactionAttribute(annotated);
    SpringTransactions transactions = transactions(annotated);
    return new DeduplicatedMethod<>(
        annotated,
        filter,
        new CallKey<>(annotated, keyClass, beans),
        eventTime(annotated, filter),
        new KeyRecording<>(
            filter, transactions, manager(annotated, attribute, transactions), attribute));
  }

  /** A bean that was registered as an object has no definition, and tells no type of keys. */
  private ResolvableType keyType(String bean) {
    try {
      return beans
          .getMergedBeanDefinition(bean)
          .getResolvableType()
          .as(BloomFilter.class)
          .getGeneric(0);
    } catch (NoSuchBeanDefinitionException e) {
      return ResolvableType.NONE;
    }
  }

  private String filterBean(AnnotatedMethod annotated) {
    String wanted = annotated.annotation().filter();
    String[] names = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, BloomFilter.class);
    for (String name : names) {
      if (BeanFactoryAnnotationUtils.isQualifierMatch(wanted::equals, name, beans)) {
        return name;
      }
    }
    throw annotated.refused(
        "there is no filter bean '%s'. There are: %s"
            .formatted(wanted, names.length == 0 ? "none" : String.join(", ", names)));
  }

  private SpringTransactions transactions(AnnotatedMethod annotated) {
    try {
      return beans.getBean(SpringTransactions.class);
    } catch (BeansException e) {
      throw annotated.refused(e, "it needs one bean of the type SpringTransactions");
    }
  }

  private TransactionAttribute transactionAttribute(AnnotatedMethod annotated) {
    TransactionAttribute attribute =
        transactional.getTransactionAttribute(annotated.method(), annotated.type());
    if (attribute == null) {
      DefaultTransactionAttribute ours = new DefaultTransactionAttribute();
      ours.setName(annotated.toString());
      return ours;
    }
    if (attribute.getPropagationBehavior() != TransactionDefinition.PROPAGATION_REQUIRED) {
      throw annotated.refused(
          "its @Transactional has another propagation than REQUIRED, so the key could be recorded"
              + " in another transaction than its work. Call it through another bean with that"
              + " propagation instead");
    }
    if (attribute.isReadOnly()) {
      throw annotated.refused("its @Transactional is read-only, so the key cannot be recorded");
    }
    return attribute;
  }

  private PlatformTransactionManager manager(
      AnnotatedMethod annotated, TransactionAttribute attribute, SpringTransactions transactions) {
    String qualifier = attribute.getQualifier();
    PlatformTransactionManager manager;
    try {
      manager =
          StringUtils.hasText(qualifier)
              ? BeanFactoryAnnotationUtils.qualifiedBeanOfType(
                  beans, PlatformTransactionManager.class, qualifier)
              : beans.getBean(PlatformTransactionManager.class);
    } catch (BeansException e) {
      throw annotated.refused(
          e,
          "it needs a PlatformTransactionManager: one bean, or a primary one, or the one that its"
              + " @Transactional names");
    }
    if (manager instanceof ResourceTransactionManager managed
        && managed.getResourceFactory() instanceof DataSource other
        && other != transactions.dataSource()) {
      throw annotated.refused(
          ("its transaction manager is for another data source (%s) than its filter (%s). Name the"
                  + " right one in its @Transactional")
              .formatted(other, transactions.dataSource()));
    }
    return manager;
  }

  private @Nullable EventTime eventTime(AnnotatedMethod annotated, BloomFilter<?> filter) {
    if (annotated.annotation().eventTime().isEmpty()) {
      return null;
    }
    Optional<Duration> length =
        beans
            .getBeanProvider(SlotBloom.class)
            .orderedStream()
            .flatMap(bloom -> bloom.status(filter.name()).flatMap(FilterStatus::window).stream())
            .map(Window::length)
            .findFirst();
    if (length.isEmpty()) {
      throw annotated.refused(
          ("it has an eventTime, but filter %s is not a window. Create the filter with a window, or"
                  + " omit eventTime")
              .formatted(filter.name()));
    }
    return new EventTime(annotated, length.get(), clock, beans);
  }
}
