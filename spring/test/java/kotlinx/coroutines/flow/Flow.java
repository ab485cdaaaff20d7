package kotlinx.coroutines.flow;

/** The name of the type of values that come later, in Kotlin. */
public interface Flow<T> {}
