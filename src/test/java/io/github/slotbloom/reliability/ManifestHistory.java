package io.github.slotbloom.reliability;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * All manifests that a filter had since the oldest entry of its journal: those of entries, and the
 * one that is stored with the filter. Immutable.
 */
final class ManifestHistory {

  private final ManifestRow newest;
  private final List<ManifestRow> journaled = new ArrayList<>();

  ManifestHistory(ManifestRow newest, List<JournalRow> journal) {
    this.newest = newest;
    journal.stream().map(JournalRow::manifest).flatMap(Optional::stream).forEach(journaled::add);
  }

  /** The one that is stored with the filter. */
  ManifestRow newest() {
    return newest;
  }

  /** How often the filter was cleared. */
  long clears() {
    return journaled.stream().filter(manifest -> manifest.begins() == manifest.seq()).count();
  }

  /** Whether each entry went to one generation alone. */
  boolean neverFilled() {
    return newest.filling().isEmpty()
        && newest.answering().stream().allMatch(generation -> generation.cutover() == 0)
        && journaled.stream().allMatch(manifest -> manifest.filling().isEmpty());
  }

  /**
   * Which generations of the newest manifest have the keys of an entry: of those that took it, as
   * the manifest of its time says, the ones that are left.
   */
  List<GenerationRow> takers(JournalRow entry) {
    List<GenerationRow> then = ofThen(entry).takers(entry);
    return newest.generations().stream()
        .filter(left -> then.stream().anyMatch(left::isSameAs))
        .toList();
  }

  /** The one with which the entry was written; the next one, if that is not known. */
  private ManifestRow ofThen(JournalRow entry) {
    return journaled.stream()
        .filter(manifest -> manifest.seq() < entry.seq())
        .reduce((one, later) -> later)
        .orElse(journaled.isEmpty() ? newest : journaled.get(0));
  }

  /**
   * What cannot be, a sentence each.
   *
   * @param journal the rows that it was made of
   * @param filter whose manifests they are
   * @param trimmed whether the journal may lack entries
   */
  List<String> violations(List<JournalRow> journal, StoredFilter filter, boolean trimmed) {
    List<String> found = new ArrayList<>();
    if (newest.token() != filter.manifestToken()) {
      found.add(
          "the manifest has the token "
              + newest.token()
              + ", but the filter says "
              + filter.manifestToken());
    }
    if (newest.window() != filter.windowBuckets()) {
      found.add(
          "the manifest has a window of "
              + newest.window()
              + " buckets, but the filter says "
              + filter.windowBuckets());
    }
    shape(newest, found);
    ManifestRow before = null;
    for (JournalRow row : journal) {
      ManifestRow next = row.manifest().orElse(null);
      if (next != null) {
        if (next.seq() != row.seq() || next.token() != row.token()) {
          found.add("entry " + row.seq() + " has the manifest of another: " + next);
        }
        shape(next, found);
        if (before != null && !follows(before, next)) {
          found.add("no operation makes " + next + " of " + before);
        }
        before = next;
      }
    }
    if (before == null ? !trimmed && newest.seq() > 0 : !before.text().equals(newest.text())) {
      found.add("the filter has the manifest " + newest + ", but the journal has " + before);
    }
    takers(journal, found);
    return found;
  }

  /** A manifest that knows only what is left now tells the same of older entries. */
  private void takers(List<JournalRow> journal, List<String> found) {
    for (JournalRow row : journal) {
      List<Integer> then = numbers(takers(row));
      List<Integer> now = numbers(newest.takers(row));
      if (!then.equals(now)) {
        found.add(
            "entry "
                + row.seq()
                + " went to the generations "
                + then
                + ", and is sought in "
                + now);
      }
    }
  }

  private static List<Integer> numbers(Collection<GenerationRow> generations) {
    return generations.stream().map(GenerationRow::number).sorted().toList();
  }

  private static void shape(ManifestRow manifest, List<String> found) {
    List<GenerationRow> all = manifest.generations();
    boolean wrong =
        manifest.answering().isEmpty()
            || all.size() - manifest.answering().size() > 1
            || all.stream().map(GenerationRow::number).distinct().count() < all.size()
            || all.stream()
                .anyMatch(
                    each ->
                        each.number() < 1
                            || each.number() >= manifest.next()
                            || each.since() < manifest.begins()
                            || each.since() > manifest.seq()
                            || each.cutover() > manifest.seq());
    for (int i = 1; i < manifest.answering().size(); i++) {
      GenerationRow older = manifest.answering().get(i - 1);
      GenerationRow newer = manifest.answering().get(i);
      wrong |= newer.since() < older.since() || newer.number() < older.number();
    }
    if (wrong) {
      found.add("this cannot be a manifest: " + manifest);
    }
  }

  /** Whether one operation leads from one manifest to the next. */
  private static boolean follows(ManifestRow before, ManifestRow after) {
    List<GenerationRow> old = before.answering();
    List<GenerationRow> now = after.answering();
    Optional<GenerationRow> filled = before.filling();
    long begun =
        after.generations().stream()
            .filter(each -> each.beganWith(after.seq(), after.token()))
            .filter(each -> each.number() == before.next())
            .count();
    boolean begins = begun == 1 && after.next() == before.next() + 1;
    boolean beginsNone = begun == 0 && after.next() == before.next();
    if (after.window() != before.window()) {
      return false;
    }
    if (after.begins() != before.begins()) {
      return after.begins() == after.seq() && begins && after.generations().size() == 1;
    }
    if (filled.isPresent() && after.filling().isEmpty()) {
      List<GenerationRow> left = new ArrayList<>(old);
      boolean givenUp = same(old, now);
      left.removeIf(each -> each.since() < filled.get().since());
      left.add(0, filled.get());
      boolean cutOver = same(left, now) && now.get(0).cutover() == after.seq();
      return beginsNone && (givenUp || cutOver);
    }
    if (filled.isEmpty() && after.filling().isPresent()) {
      return begins && same(old, now);
    }
    boolean sameFilled = filled.equals(after.filling());
    boolean rotated = after.newest().bucket() > before.newest().bucket();
    List<GenerationRow> left = new ArrayList<>(now);
    if (begins) {
      left.remove(left.size() - 1);
    }
    // Buckets that expired leave at the front.
    int gone = rotated ? Math.max(0, old.size() - left.size()) : 0;
    return sameFilled
        && (begins || (beginsNone && rotated))
        && same(old.subList(gone, old.size()), left);
  }

  private static boolean same(List<GenerationRow> some, List<GenerationRow> others) {
    boolean same = some.size() == others.size();
    for (int i = 0; same && i < some.size(); i++) {
      same = some.get(i).isSameAs(others.get(i));
    }
    return same;
  }
}
