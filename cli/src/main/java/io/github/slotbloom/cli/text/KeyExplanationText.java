package io.github.slotbloom.cli.text;

import io.github.slotbloom.report.KeyExplanation;
import io.github.slotbloom.report.KeyExplanation.Entry;
import io.github.slotbloom.report.KeyExplanation.InGeneration;
import io.github.slotbloom.report.KeyExplanation.Probed;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Explains to people and programs why a key is a member or not. */
public record KeyExplanationText(KeyExplanation explanation) {

  /** Returns the explanation for people. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add("hash " + hex(explanation.hash()));
    for (InGeneration generation : explanation.generations()) {
      lines.add(
          "generation "
              + generation.generation()
              + " ("
              + generation.slotTable()
              + (generation.active() ? "" : ", being filled")
              + (generation.expired() ? ", expired" : "")
              + "): has "
              + (generation.hasAll() ? "all" : "not all")
              + " of its bits");
      lines.add(String.format("  %-14s %-12s %3s  %s", "position", "slot", "bit", "set"));
      generation.probes().forEach(probe -> lines.add(line(probe)));
    }
    lines.add(
        "unfolded entries that contain it: "
            + (explanation.unfolded().isEmpty() ? "none" : inWords(explanation.unfolded()))
            + " (folded up to "
            + explanation.foldedSequence()
            + " of "
            + explanation.lastSequence()
            + ")");
    if (explanation.retained() != null) {
      lines.add("among the retained hashes: " + (explanation.retained() ? "yes" : "no"));
    }
    lines.add(conclusion());
    return lines;
  }

  private static String line(Probed probe) {
    String set = probe.inSlots() ? "yes" : probe.inJournal() ? "by the journal" : "NO";
    return String.format(
        Locale.ROOT, "  %-14d %-12d %3d  %s", probe.position(), probe.slot(), probe.bit(), set);
  }

  private static String inWords(List<Entry> entries) {
    return String.join(
        ", ", entries.stream().map(entry -> entry.seq() + " (" + entry.kind() + ")").toList());
  }

  private String conclusion() {
    if (explanation.removedBy() != null) {
      return "It is not a member: entry "
          + explanation.removedBy()
          + " removed it. Its bits stay set until the filter is rebuilt.";
    }
    if (explanation.isExpired()) {
      return "It is not a member anymore: only generations whose keys expired have all of its bits.";
    }
    List<String> having =
        explanation.generations().stream()
            .filter(InGeneration::makesMember)
            .map(generation -> String.valueOf(generation.generation()))
            .toList();
    if (having.isEmpty()) {
      return explanation.unfolded().isEmpty()
          ? "It is not a member: each generation lacks at least one of its bits, so it was not"
              + " added, unless bits were lost (slotbloom verify finds out)."
          : "It is not a member.";
    }
    String because =
        "It is a member: generation " + String.join(", ", having) + " has all of its bits";
    if (!explanation.unfolded().isEmpty()) {
      return because + ", and the journal shows that it was added.";
    }
    return Boolean.TRUE.equals(explanation.retained())
        ? because + ", and its hash is retained."
        : because + ". It was added, or other keys set all of them (a false positive).";
  }

  /** Returns the explanation for programs. */
  public Map<String, Object> figures() {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("filter", explanation.filter());
    figures.put("hash", hex(explanation.hash()));
    figures.put("member", explanation.isMember());
    figures.put("lastSequence", explanation.lastSequence());
    figures.put("foldedSequence", explanation.foldedSequence());
    figures.put(
        "generations",
        explanation.generations().stream().map(KeyExplanationText::figures).toList());
    figures.put(
        "unfolded",
        explanation.unfolded().stream()
            .map(entry -> Map.of("sequence", entry.seq(), "kind", entry.kind()))
            .toList());
    if (explanation.retained() != null) {
      figures.put("retained", explanation.retained());
    }
    if (explanation.removedBy() != null) {
      figures.put("removedBy", explanation.removedBy());
    }
    return figures;
  }

  private static Map<String, Object> figures(InGeneration generation) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("number", generation.generation());
    figures.put("active", generation.active());
    figures.put("slotTable", generation.slotTable());
    figures.put("expired", generation.expired());
    figures.put("hasAll", generation.hasAll());
    figures.put(
        "probes",
        generation.probes().stream()
            .map(
                probe -> {
                  Map<String, Object> bit = new LinkedHashMap<>();
                  bit.put("position", probe.position());
                  bit.put("slot", probe.slot());
                  bit.put("bit", probe.bit());
                  bit.put("inSlots", probe.inSlots());
                  bit.put("inJournal", probe.inJournal());
                  return bit;
                })
            .toList());
    return figures;
  }

  public static String hex(long bits) {
    return String.format(Locale.ROOT, "0x%016x", bits);
  }
}
