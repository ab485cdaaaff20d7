package io.github.slotbloom.resp.filter;

/**
 * What requests have in common that may become one call: the same is done with keys of one filter.
 *
 * @param kind what is done
 * @param family which filters the command is for
 * @param name of the filter
 */
public record Lane(Kind kind, Family family, String name) {

  /** The operation on the keys. */
  public enum Kind {
    /** They are added. */
    ADD,
    /** They are asked for. */
    ASK,
    /** They are removed. */
    REMOVE
  }
}
