package io.github.slotbloom.spark;

import java.io.IOException;
import java.io.OutputStream;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * A file in one of Hadoop's file systems that nobody sees before it is whole, and that only its
 * owner may read where the file system knows that.
 *
 * @param configuration of Hadoop
 * @param path of the file, which must not exist
 */
record ExportFile(Configuration configuration, Path path) {

  private static final FsPermission OWNER_ONLY = new FsPermission((short) 0600);

  /** Writes what a file holds. */
  interface Contents {
    void writeTo(OutputStream stream) throws IOException;
  }

  void write(Contents contents) throws IOException {
    // An instance of its own, since its setting must not change for others.
    try (FileSystem files = FileSystem.newInstance(path.toUri(), configuration)) {
      files.setWriteChecksum(false);
      Path whole = files.makeQualified(path);
      requireNone(files, whole);
      Path part = new Path(whole.getParent(), "." + whole.getName() + "-" + UUID.randomUUID());
      try {
        try (OutputStream stream = FileSystem.create(files, part, OWNER_ONLY)) {
          contents.writeTo(stream);
        }
        requireNone(files, whole);
        if (!files.rename(part, whole)) {
          throw new IOException("The file system did not rename " + part + " to " + whole + ".");
        }
      } finally {
        files.delete(part, false);
      }
    }
  }

  private static void requireNone(FileSystem files, Path whole) throws IOException {
    if (files.exists(whole)) {
      throw new FileAlreadyExistsException(
          whole + " exists. Use another path, or remove it first.");
    }
  }
}
