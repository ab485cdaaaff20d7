package io.github.slotbloom.testing;

import io.github.slotbloom.SlotBloom;
import java.lang.annotation.Annotation;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.TimeZone;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterClassTemplateInvocationCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeClassTemplateInvocationCallback;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContext;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContextProvider;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ModifierSupport;

/** Creates one invocation of a {@link DatabaseContract} class for each database. */
final class DatabaseContractExtension implements ClassTemplateInvocationContextProvider {

  private static final TimeZone ZONE = TimeZone.getDefault();
  private static final Namespace NAMESPACE = Namespace.create(DatabaseContractExtension.class);

  @Override
  public boolean supportsClassTemplate(ExtensionContext context) {
    return true;
  }

  @Override
  public Stream<OnDatabase> provideClassTemplateInvocationContexts(ExtensionContext context) {
    Class<?> test = context.getRequiredTestClass();
    boolean onOne = test.getAnnotation(DatabaseContract.class).onOne();
    OddHours oddHours = test.getAnnotation(OddHours.class);
    int number = test.getName().hashCode();
    // Servers behind other software have no odd hours.
    boolean withRunningClock = DatabaseContract.LONG || databases(context).atOddHours().isEmpty();
    Stream<TestDatabase> running =
        databases(context).started().stream()
            .filter(database -> oddHours == null || (withRunningClock && !oddHours.only()))
            .filter(database -> !onOne || database.takes(number));
    Stream<TestDatabase> standing =
        databases(context).atOddHours().stream()
            .filter(database -> oddHours != null && database.takes(number));
    return Stream.concat(running, standing).map(OnDatabase::new);
  }

  private static TestDatabases databases(ExtensionContext context) {
    // The root of this context is the wrong store: a Surefire fork has one root per class.
    Store store = context.getStore(StoreScope.LAUNCHER_SESSION, NAMESPACE);
    return in(store, TestDatabases.class, TestDatabases::start);
  }

  private static <T> T in(Store store, Class<T> type, Start<T> start) {
    return store.getOrComputeIfAbsent(
        type,
        key -> {
          try {
            return start.start();
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        },
        type);
  }

  private interface Start<T> {
    T start() throws Exception;
  }

  /** One invocation, with the arguments for constructors and methods. */
  private record OnDatabase(TestDatabase database)
      implements ClassTemplateInvocationContext,
          AfterTestExecutionCallback,
          ParameterResolver,
          BeforeClassTemplateInvocationCallback,
          AfterClassTemplateInvocationCallback {

    @Override
    public void beforeClassTemplateInvocation(ExtensionContext context) throws Exception {
      if (database.clock() != null) {
        TimeZone.setDefault(TestDatabases.ODD_ZONE);
      }
      for (Field field : fixtures(context)) {
        field.setAccessible(true);
        field.set(null, fixture(field.getType(), context));
      }
      call(BeforeDatabase.class, context);
    }

    private Object fixture(Class<?> type, ExtensionContext context) {
      if (type == SlotBloom.class) {
        return instances(context).another();
      }
      if (type == Instances.class) {
        return instances(context);
      }
      return type == Sql.class
          ? new Sql(schema(context).direct())
          : Objects.requireNonNull(value(type, context));
    }

    private Instances instances(ExtensionContext context) {
      // The store closes what came last first: the instances before their schema.
      TestSchema schema = schema(context);
      return in(context.getStore(NAMESPACE), Instances.class, () -> new Instances(schema));
    }

    private TestSchema schema(ExtensionContext context) {
      return in(
          context.getStore(NAMESPACE),
          TestSchema.class,
          () -> {
            if (!isMigrated(context)) {
              return database.createSchema();
            }
            TestSchema schema = database.createMigratedSchema();
            if (contract(context).shortLeases()) {
              ShortLease.forAll(new Sql(schema.direct()));
            }
            return schema;
          });
    }

    private static boolean isMigrated(ExtensionContext context) {
      return contract(context).migrated()
          || fixtures(context).stream()
              .map(Field::getType)
              .anyMatch(type -> type == SlotBloom.class || type == Instances.class);
    }

    private static DatabaseContract contract(ExtensionContext context) {
      return context.getRequiredTestClass().getAnnotation(DatabaseContract.class);
    }

    private static List<Field> fixtures(ExtensionContext context) {
      return AnnotationSupport.findAnnotatedFields(
          context.getRequiredTestClass(), Fixture.class, ModifierSupport::isStatic);
    }

    @Override
    public void afterClassTemplateInvocation(ExtensionContext context) throws Exception {
      try {
        call(AfterDatabase.class, context);
      } finally {
        TimeZone.setDefault(ZONE);
      }
    }

    private void call(Class<? extends Annotation> when, ExtensionContext context)
        throws ReflectiveOperationException {
      for (Method method :
          AnnotationSupport.findAnnotatedMethods(
              context.getRequiredTestClass(), when, HierarchyTraversalMode.TOP_DOWN)) {
        Object[] values =
            Arrays.stream(method.getParameterTypes()).map(type -> value(type, context)).toArray();
        method.setAccessible(true);
        method.invoke(null, values);
      }
    }

    @Override
    public String getDisplayName(int invocationIndex) {
      return "[" + database.name() + "]";
    }

    @Override
    public List<Extension> getAdditionalExtensions() {
      return List.of(this);
    }

    @Override
    public ExtensionContextScope getTestInstantiationExtensionContextScope(
        ExtensionContext context) {
      return ExtensionContextScope.TEST_METHOD;
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
      database.countTest();
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      Class<?> type = parameter.getParameter().getType();
      return type == TestDatabase.class || type == TestSchema.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      return value(parameter.getParameter().getType(), context);
    }

    private Object value(Class<?> type, ExtensionContext context) {
      return type == TestDatabase.class ? database : schema(context);
    }
  }
}
