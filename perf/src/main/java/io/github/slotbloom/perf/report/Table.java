package io.github.slotbloom.perf.report;

import java.util.List;

/** Figures that are no contest. */
public record Table(String title, List<String> header, List<List<String>> rows) {}
