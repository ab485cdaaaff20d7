/** Figures and findings as text for people. */
@NullMarked
package io.github.slotbloom.cli.text;

import org.jspecify.annotations.NullMarked;
