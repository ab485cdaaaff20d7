package example;

/** What a message says: so much money goes to an account. */
record Payment(String id, long account, long amount) {}
