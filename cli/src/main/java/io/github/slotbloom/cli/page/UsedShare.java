package io.github.slotbloom.cli.page;

import java.util.Locale;

/** Writes the used share of a capacity for people. */
public final class UsedShare {

  /** The largest share that a tenth of a percent shows as less than all. */
  private static final double ALMOST_ALL = 0.999;

  private UsedShare() {}

  /** Returns the share in percent, to a tenth. Only a full capacity is called full. */
  public static String percent(double share) {
    double shown = share < 1 ? Math.min(share, ALMOST_ALL) : share;
    return String.format(Locale.ROOT, "%,.1f", 100 * shown);
  }
}
