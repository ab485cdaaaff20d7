package io.github.slotbloom.perf.report;

import io.github.slotbloom.perf.measure.Checks;
import io.github.slotbloom.perf.measure.Comparison;
import java.util.ArrayList;
import java.util.List;

/** The results of one case. */
public final class CaseReport {

  private final String id;
  private final String title;
  private final Checks checks = new Checks();
  private final List<Comparison> comparisons = new ArrayList<>();
  private final List<Table> tables = new ArrayList<>();
  private final List<Curve> curves = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private String error = "";
  private double seconds;

  public CaseReport(String id, String title) {
    this.id = id;
    this.title = title;
  }

  public Checks checks() {
    return checks;
  }

  public void add(Comparison comparison) {
    comparisons.add(comparison);
  }

  public void add(Table table) {
    tables.add(table);
  }

  public void add(Curve curve) {
    curves.add(curve);
  }

  /** Adds a note on how the case was measured. */
  public void note(String text) {
    notes.add(text);
  }

  /** Records the failure that ended the case early. */
  public void failed(Exception e) {
    error = e.toString();
  }

  public void took(double itsSeconds) {
    seconds = itsSeconds;
  }

  public boolean isRight() {
    return error.isEmpty() && checks.failures().isEmpty();
  }

  public String id() {
    return id;
  }

  public String title() {
    return title;
  }

  public List<Comparison> comparisons() {
    return comparisons;
  }

  public List<Table> tables() {
    return tables;
  }

  public List<Curve> curves() {
    return curves;
  }

  public List<String> notes() {
    return notes;
  }

  public String error() {
    return error;
  }

  public double seconds() {
    return seconds;
  }
}
