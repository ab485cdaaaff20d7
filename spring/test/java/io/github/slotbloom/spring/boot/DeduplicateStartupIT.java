package io.github.slotbloom.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.spring.Deduplicate;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestSchema;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import javax.sql.DataSource;
import kotlin.coroutines.Continuation;
import kotlin.sequences.Sequence;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.flow.Flow;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;

/** A method that cannot be deduplicated keeps the application from starting, with the reason. */
@DatabaseContract(migrated = true, onOne = true)
@PossibleLog(Application.NOT_STARTED)
class DeduplicateStartupIT {

  private final TestSchema schema;
  private final ApplicationContextRunner application;

  DeduplicateStartupIT(TestSchema schema) {
    this.schema = schema;
    this.application =
        Application.on(schema).withPropertyValues("slotbloom.filters.payments.capacity=1000");
  }

  static class UnknownFilter {
    @Deduplicate(filter = "paymnts", key = "#id")
    void book(String id) {}
  }

  static class NoExpression {
    @Deduplicate(filter = "payments", key = "#id.")
    void book(String id) {}
  }

  static class UnknownVariable {
    @Deduplicate(filter = "payments", key = "#message.id + #id")
    void book(String id) {}
  }

  static class FinalMethod {
    @Deduplicate(filter = "payments", key = "#id")
    final void book(String id) {}
  }

  static class PrivateMethod {
    @Deduplicate(filter = "payments", key = "#id")
    private void book(String id) {}
  }

  static class StaticMethod {
    @Deduplicate(filter = "payments", key = "#id")
    static void book(String id) {}
  }

  static class Asynchronous {
    @Deduplicate(filter = "payments", key = "#id")
    CompletableFuture<String> book(String id) {
      return CompletableFuture.completedFuture(id);
    }
  }

  static class Lazy {
    @Deduplicate(filter = "payments", key = "#id")
    Stream<String> book(String id) {
      return Stream.of(id);
    }
  }

  static class LaterTask extends FutureTask<String> {
    LaterTask(String id) {
      super(() -> id);
    }
  }

  static class OfASuperclass {
    @Deduplicate(filter = "payments", key = "#id")
    LaterTask book(String id) {
      return new LaterTask(id);
    }
  }

  static class ToBeCalled {
    @Deduplicate(filter = "payments", key = "#id")
    Callable<String> book(String id) {
      return () -> id;
    }
  }

  /** As a StateFlow, which is no Flow by itself: it gets that from an interface between. */
  interface StateFlow<T> extends SharedFlow<T> {}

  interface SharedFlow<T> extends Flow<T> {}

  static class OfAnInterfaceOfItsInterface {
    @Deduplicate(filter = "payments", key = "#id")
    StateFlow<String> book(String id) {
      return new StateFlow<>() {};
    }
  }

  interface Deferred<T> extends Job {}

  static class Awaited {
    @Deduplicate(filter = "payments", key = "#id")
    Deferred<String> book(String id) {
      return new Deferred<>() {};
    }
  }

  static class OneByOne {
    @Deduplicate(filter = "payments", key = "#id")
    Sequence<String> book(String id) {
      return new Sequence<>() {};
    }
  }

  /** As Kotlin compiles a suspend function. */
  static class Suspending {
    @Deduplicate(filter = "payments", key = "#id")
    Object book(String id, Continuation<Object> next) {
      return id;
    }
  }

  static class Primitive {
    @Deduplicate(filter = "payments", key = "#id")
    int book(String id) {
      return 1;
    }
  }

  static class OtherPropagation {
    @Deduplicate(filter = "payments", key = "#id")
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void book(String id) {}
  }

  static class ReadOnly {
    @Deduplicate(filter = "payments", key = "#id")
    @Transactional(readOnly = true)
    public void book(String id) {}
  }

  static class OtherPropagationWithinPackage {
    @Deduplicate(filter = "payments", key = "#id")
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    void book(String id) {}
  }

  static class ReadOnlyWithinPackage {
    @Deduplicate(filter = "payments", key = "#id")
    @Transactional(readOnly = true)
    void book(String id) {}
  }

  static class AfterTheCommit {
    @Deduplicate(filter = "payments", key = "#id")
    @TransactionalEventListener
    public void book(String id) {}
  }

  static class UnknownManager {
    @Deduplicate(filter = "payments", key = "#id")
    @Transactional("other")
    public void book(String id) {}
  }

  static class NoWindow {
    @Deduplicate(filter = "payments", key = "#id", eventTime = "#id")
    void book(String id) {}
  }

  private static final Map<Class<?>, String> REFUSED =
      Map.ofEntries(
          Map.entry(UnknownFilter.class, "there is no filter bean 'paymnts'. There are: payments"),
          Map.entry(NoExpression.class, "its key is not an expression: '#id.'"),
          Map.entry(UnknownVariable.class, "a variable #message that is not one"),
          Map.entry(FinalMethod.class, "it is final"),
          Map.entry(PrivateMethod.class, "it is private"),
          Map.entry(StaticMethod.class, "it is static"),
          Map.entry(Asynchronous.class, "it returns a CompletableFuture"),
          Map.entry(Lazy.class, "it returns a Stream"),
          Map.entry(OfASuperclass.class, "it returns a LaterTask"),
          Map.entry(ToBeCalled.class, "it returns a Callable"),
          Map.entry(OfAnInterfaceOfItsInterface.class, "it returns a StateFlow"),
          Map.entry(Awaited.class, "it returns a Deferred"),
          Map.entry(OneByOne.class, "it returns a Sequence"),
          Map.entry(Suspending.class, "it is a suspend function"),
          Map.entry(Primitive.class, "it returns int"),
          Map.entry(OtherPropagation.class, "another propagation than REQUIRED"),
          Map.entry(ReadOnly.class, "is read-only"),
          Map.entry(OtherPropagationWithinPackage.class, "another propagation than REQUIRED"),
          Map.entry(ReadOnlyWithinPackage.class, "is read-only"),
          Map.entry(AfterTheCommit.class, "it is called after a transaction has ended"),
          Map.entry(UnknownManager.class, "needs a PlatformTransactionManager"),
          Map.entry(NoWindow.class, "filter payments is not a window"));

  /** In one application, which is checked again and again as if it started with another bean. */
  @Test
  void whatCannotBeDeduplicatedIsRefusedWithTheReason() {
    application.run(
        context -> {
          var beans = (GenericApplicationContext) context.getSourceApplicationContext();
          REFUSED.forEach(
              (bean, reason) -> {
                beans.registerBean("bean", bean);
                beans.getBean("bean");
                assertThatThrownBy(() -> checkAll(beans))
                    .hasMessageStartingWith(
                        bean.getSimpleName() + ".book cannot have @Deduplicate: ")
                    .hasMessageContaining(reason);
                beans.removeBeanDefinition("bean");
              });
          checkAll(beans);
        });
  }

  private static void checkAll(ApplicationContext beans) {
    beans
        .getBeansOfType(SmartInitializingSingleton.class)
        .values()
        .forEach(SmartInitializingSingleton::afterSingletonsInstantiated);
  }

  private static void assertRefused(AssertableApplicationContext context, String reason) {
    assertThat(context.getStartupFailure()).hasMessageContaining(reason);
  }

  static class Booking {
    @Deduplicate(filter = "payments", key = "#id")
    boolean book(UUID id) {
      return true;
    }
  }

  @Test
  void aTransactionManagerIsNeeded() {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(SlotBloomAutoConfiguration.class))
        .withPropertyValues("slotbloom.filters.payments.capacity=1000")
        .withBean(DataSource.class, schema::dataSource)
        .withBean(Booking.class)
        .run(context -> assertRefused(context, "needs a PlatformTransactionManager"));
  }

  @Test
  void aTransactionManagerOfAnotherDataSourceIsRefused() {
    application
        .withBean(
            PlatformTransactionManager.class,
            () -> new DataSourceTransactionManager(schema.dataSource()))
        .withBean(Booking.class)
        .run(context -> assertRefused(context, "for another data source"));
  }

  static class OfAnObject {
    @Deduplicate(filter = "registered", key = "#id")
    void book(String id) {}
  }

  @Test
  void aFilterWithoutADefinitionIsRefused() {
    application
        .withInitializer(
            context ->
                context
                    .getBeanFactory()
                    .registerSingleton(
                        "registered",
                        Proxy.newProxyInstance(
                            BloomFilter.class.getClassLoader(),
                            new Class<?>[] {BloomFilter.class},
                            (proxy, method, arguments) -> null)))
        .withBean(OfAnObject.class)
        .run(context -> assertRefused(context, "the key type of filter bean registered"));
  }

  @Configuration(proxyBeanMethods = false)
  static class Manager {
    @Bean
    PlatformTransactionManager manager(DataSource dataSource) {
      return new DataSourceTransactionManager(dataSource);
    }
  }

  @Test
  void methodsAreProxiedWhereNothingElseNeedsProxies() {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(SlotBloomAutoConfiguration.class))
        .withPropertyValues("slotbloom.filters.payments.capacity=1000")
        .withBean(DataSource.class, schema::dataSource)
        .withUserConfiguration(Manager.class)
        .withBean(Booking.class)
        .run(
            context -> {
              Booking booking = context.getBean(Booking.class);
              UUID id = new UUID(1, 2);
              assertThat(booking.book(id)).isTrue();
              assertThat(booking.book(id)).isFalse();
            });
  }

  interface Port {
    boolean other();
  }

  static class Adapter implements Port {
    @Override
    public boolean other() {
      return true;
    }

    @Deduplicate(filter = "payments", key = "#id")
    public boolean book(String id) {
      return true;
    }
  }

  @Test
  void aMethodThatNoInterfaceHasIsRefusedWhereInterfacesAreProxied() {
    application
        .withPropertyValues("spring.aop.proxy-target-class=false")
        .withBean(Adapter.class)
        .run(context -> assertRefused(context, "its bean is proxied by its interfaces"));
  }

  static class Listening {
    @Deduplicate(filter = "payments", key = "#id")
    @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
    public void inTheTransaction(String id) {}

    @Deduplicate(filter = "payments", key = "#id")
    @TransactionalEventListener
    @Async
    public void inAThreadOfItsOwn(String id) {}
  }

  @Test
  void aListenerThatIsCalledBeforeTheCommitOrInAnotherThreadWillDo() {
    application.withBean(Listening.class).run(context -> assertThat(context).hasNotFailed());
  }

  interface Handler<M> {
    boolean handle(M message);
  }

  static class Handling implements Handler<UUID> {
    @Override
    @Deduplicate(filter = "payments", key = "#id")
    public boolean handle(UUID id) {
      return true;
    }
  }

  @Test
  void aMethodOfAGenericInterfaceWillDoWhereInterfacesAreProxied() {
    application
        .withPropertyValues("spring.aop.proxy-target-class=false")
        .withBean("handler", Handling.class)
        .run(
            context -> {
              @SuppressWarnings("unchecked")
              Handler<UUID> handler = (Handler<UUID>) context.getBean("handler", Handler.class);
              UUID id = new UUID(3, 4);
              assertThat(handler.handle(id)).isTrue();
              assertThat(handler.handle(id)).isFalse();
            });
  }
}
