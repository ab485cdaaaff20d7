package kotlin.sequences;

/** The name of the type of values that are made when they are asked for, in Kotlin. */
public interface Sequence<T> {}
