package kotlinx.coroutines.flow;

/** The name of a type that is not on the class path of every application. */
public interface Flow<T> {}
