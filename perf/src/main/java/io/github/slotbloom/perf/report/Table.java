package io.github.slotbloom.perf.report;

import java.util.List;

/** A table of figures that are not a contest. */
public record Table(String title, List<String> header, List<List<String>> rows) {}
