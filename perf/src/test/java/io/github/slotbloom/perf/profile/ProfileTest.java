package io.github.slotbloom.perf.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProfileTest {

  @TempDir Path directory;

  @Test
  void socketReadsAndWritesAreCounted() throws Exception {
    try (Profile profile = new Profile();
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
        Socket accepted = server.accept()) {
      profile.begin();
      client.getOutputStream().write(7);
      assertThat(accepted.getInputStream().read()).isEqualTo(7);
      profile.end();

      TimeShares shares = profile.read(directory.resolve("profile.jfr"));

      assertThat(shares.seconds(TimeShares.WAITING)).isPositive();
      assertThat(shares.seconds(TimeShares.SENDING)).isPositive();
    }
  }
}
