package kotlin.coroutines;

/** The name of the type that is the last parameter of a compiled suspend function. */
public interface Continuation<T> {}
