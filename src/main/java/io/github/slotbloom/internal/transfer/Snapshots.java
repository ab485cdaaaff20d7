package io.github.slotbloom.internal.transfer;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.InvalidExportException;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.snapshot.SnapshotHeader;
import io.github.slotbloom.internal.snapshot.SnapshotReader;
import io.github.slotbloom.internal.snapshot.SnapshotSink;
import io.github.slotbloom.internal.snapshot.SnapshotWriter;
import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.CopyOption;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

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

  /**
   * @param base what to continue; null to export the whole filter
   */
  public void exportTo(FilterName name, @Nullable DeltaBase base, OutputStream stream)
      throws IOException {
    if (base != null) {
      exportDelta(DeltaScan.begin(directory, name, base), stream);
      return;
    }
    FilterScan scan = scan(name);
    try (SnapshotWriter writer = new SnapshotWriter(stream, header(scan.filter(), null))) {
      writer.finish(scan.readAll(writer));
    }
  }

  private void exportDelta(DeltaScan scan, OutputStream stream) throws IOException {
    Cursor begins = scan.begins();
    try (SnapshotWriter writer = new SnapshotWriter(stream, header(scan.filter(), begins))) {
      scan.readAll(begins, writer::entry);
      writer.finish();
    }
  }

  /**
   * Nobody sees the file before it is whole, and none but its owner may read it: it tells seeds.
   */
  public void exportTo(FilterName name, @Nullable DeltaBase base, Path file, CopyOption... options)
      throws IOException {
    boolean replace = Arrays.asList(options).contains(StandardCopyOption.REPLACE_EXISTING);
    if (!replace && Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new FileAlreadyExistsException(file.toString(), null, "it exists");
    }
    // The move would replace an empty directory, or a device.
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      throw new FileSystemException(file.toString(), null, "it is not a regular file");
    }
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw new NoSuchFileException(file.toString(), null, "its directory does not exist");
    }
    Path part = Files.createTempFile(folder, ".slotbloom-", ".part");
    try {
      try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
        exportTo(name, base, Channels.newOutputStream(channel));
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

  private SnapshotHeader header(FilterRecord filter, @Nullable Cursor base) {
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
        filter.hasGrown(),
        filter.head().onFull(),
        filter.capacity(),
        filter.falsePositiveRate(),
        filter.lease(),
        filter.retention(),
        filter.head().keysAdded(),
        filter.head().keysRemoved(),
        filter.head().keysRenewed(),
        filter.head().end(),
        base,
        filter.createdAt(),
        Instant.ofEpochMilli(directory.time().wallMillis()),
        filter.generations());
  }

  /**
   * @throws InvalidExportException if the stream is no export, or a damaged one
   */
  public void importFrom(FilterName name, InputStream stream) throws IOException {
    try (SnapshotReader reader = new SnapshotReader(stream)) {
      if (reader.header().base() == null) {
        load(name, reader.header(), reader::stream);
      } else {
        loadDelta(name, reader);
      }
    }
  }

  /** Nothing is appended before the delta is known to be whole. */
  private void loadDelta(FilterName name, SnapshotReader unchecked) throws IOException {
    Path checked = TemporaryFile.create();
    try {
      try (OutputStream stream = new TemporaryFile(checked);
          SnapshotWriter writer = new SnapshotWriter(stream, unchecked.header())) {
        unchecked.entries(writer::entry);
        writer.finish();
      }
      try (InputStream stream = Files.newInputStream(checked);
          SnapshotReader reader = new SnapshotReader(stream)) {
        DeltaLoad load = new DeltaLoad(directory, engines, name, reader.header());
        reader.entries(load::accept);
        load.finish();
      }
    } finally {
      Files.deleteIfExists(checked);
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
      load(to, header(scan.filter(), null), scan::readAll);
    } catch (IOException e) {
      throw new UncheckedIOException("Nothing was read from a file or written to one.", e);
    }
  }

  private void load(FilterName name, SnapshotHeader header, Source source) throws IOException {
    FilterLoad load = FilterLoad.begin(directory, engines, name, header);
    try {
      source.stream(load);
      load.finish();
    } catch (IOException | RuntimeException | Error e) {
      load.takeBack(e);
      throw e;
    }
  }
}
