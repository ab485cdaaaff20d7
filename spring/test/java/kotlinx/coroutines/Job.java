package kotlinx.coroutines;

/** The name of the type of work that goes on, in Kotlin. */
public interface Job {}
