/**
 * A Bloom filter that lives in MySQL, shared by many processes and as durable as the data beside
 * it.
 */
module io.github.slotbloom {
  exports io.github.slotbloom;
  exports io.github.slotbloom.core;
  exports io.github.slotbloom.error;
  exports io.github.slotbloom.report;

  requires transitive java.sql;
  requires com.dynatrace.hash4j;
  requires io.whitfin.siphash;
  requires org.slf4j;
  requires static com.github.benmanes.caffeine;

  // Of the copy of jOOQ.
  requires static java.compiler;
  requires static java.desktop;
  requires java.logging;
  requires java.xml;

  // Flyway makes the class there that takes what it logs.
  opens io.github.slotbloom.internal.schema;
}
