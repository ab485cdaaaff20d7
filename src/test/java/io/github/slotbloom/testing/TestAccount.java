package io.github.slotbloom.testing;

/** An account of a database server. */
public record TestAccount(String user, String password) {}
