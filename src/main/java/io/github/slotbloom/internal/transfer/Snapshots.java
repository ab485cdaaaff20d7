package io.github.slotbloom.internal.transfer;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.InvalidExportException;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.snapshot.SnapshotBucket;
import io.github.slotbloom.internal.snapshot.SnapshotGeneration;
import io.github.slotbloom.internal.snapshot.SnapshotHeader;
import io.github.slotbloom.internal.snapshot.SnapshotReader;
import io.github.slotbloom.internal.snapshot.SnapshotSink;
import io.github.slotbloom.internal.snapshot.SnapshotWriter;
import io.github.slotbloom.internal.store.catalog.WindowRows;
import io.github.slotbloom.internal.store.filter.Bucket;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.KeyCounts;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.CopyOption;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Writes filters to files, and makes filters out of files and of other filters. Thread-safe. */
public final class Snapshots {

  /** A source of the slots and hashes of a filter. */
  private interface Source {
    void stream(SnapshotSink sink) throws IOException;
  }

  private final FilterDirectory directory;
  private final FilterEngines engines;

  public Snapshots(FilterDirectory directory, FilterEngines engines) {
    this.directory = directory;
    this.engines = engines;
  }

  public void exportTo(FilterName name, OutputStream stream) throws IOException {
    FilterScan scan = scan(name);
    try (SnapshotWriter writer = new SnapshotWriter(stream, header(scan.filter()))) {
      scan.readAll(writer);
      writer.finish();
    }
  }

  /**
   * Nobody sees the file before it is whole, and none but its owner may read it: it tells seeds.
   */
  public void exportTo(FilterName name, Path file, CopyOption... options) throws IOException {
    boolean replace = Arrays.asList(options).contains(StandardCopyOption.REPLACE_EXISTING);
    if (!replace && Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new FileAlreadyExistsException(file.toString(), null, "it exists");
    }
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw new NoSuchFileException(file.toString(), null, "its directory does not exist");
    }
    Path part = Files.createTempFile(folder, ".slotbloom-", ".part");
    try {
      try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
        exportTo(name, Channels.newOutputStream(channel));
        channel.force(true);
      }
      Files.move(part, file, options);
    } finally {
      Files.deleteIfExists(part);
    }
  }

  private FilterScan scan(FilterName name) {
    return FilterScan.begin(directory, engines, name);
  }

  private SnapshotHeader header(FilterRecord filter) {
    return new SnapshotHeader(
        filter.name().value(),
        filter.keyType(),
        filter.hash(),
        filter.seed(),
        filter.layout(),
        filter.growable(),
        filter.retainHashes(),
        filter.removal() == null ? 0 : filter.removal().percent(),
        filter.window(),
        filter.head().generationToken() != 0,
        filter.head().whenFull(),
        filter.capacity(),
        filter.falsePositiveRate(),
        filter.lease(),
        filter.retention(),
        filter.head().keysAdded(),
        filter.head().keysRemoved(),
        filter.head().keysRenewed(),
        filter.head().lastSeq(),
        filter.createdAt(),
        Instant.ofEpochMilli(directory.time().wallMillis()),
        generations(filter));
  }

  private List<SnapshotGeneration> generations(FilterRecord filter) {
    Map<Integer, KeyCounts> counted =
        filter.window() == null ? Map.of() : directory.ask(tx -> WindowRows.counted(tx, filter));
    return filter.generations().stream()
        .map(
            generation ->
                generation(
                    generation, counted.getOrDefault(generation.number(), KeyCounts.ofNew(0))))
        .toList();
  }

  private static SnapshotGeneration generation(GenerationRecord generation, KeyCounts counted) {
    Bucket bucket = generation.bucket();
    return new SnapshotGeneration(
        generation.capacity(),
        generation.falsePositiveRate(),
        generation.parameters(),
        bucket == null
            ? null
            : new SnapshotBucket(bucket.number(), counted.keys(), counted.renewed()));
  }

  /**
   * @throws InvalidExportException if the stream is no export, or a damaged one
   */
  public void importFrom(FilterName name, InputStream stream) throws IOException {
    try (SnapshotReader reader = new SnapshotReader(stream)) {
      load(name, reader.header(), reader::stream);
    }
  }

  public void importFrom(FilterName name, Path file) throws IOException {
    try (InputStream stream = Files.newInputStream(file)) {
      importFrom(name, stream);
    }
  }

  public void copy(FilterName from, FilterName to) {
    FilterScan scan = scan(from);
    try {
      load(to, header(scan.filter()), scan::readAll);
    } catch (IOException e) {
      throw new UncheckedIOException("Nothing was read from a file or written to one.", e);
    }
  }

  private void load(FilterName name, SnapshotHeader header, Source source) throws IOException {
    FilterLoad load = FilterLoad.begin(directory, engines, name, header);
    try {
      source.stream(load);
      load.finish(header::keysAdded);
    } catch (IOException | RuntimeException | Error e) {
      load.takeBack(e);
      throw e;
    }
  }
}
