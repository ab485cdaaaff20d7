package io.github.slotbloom.resp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.FilterNames;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.TestSchema;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Connections are encrypted with a certificate and a key from PEM files. */
@DatabaseContract(migrated = true)
@Timeout(180)
class TlsIT {

  private static final String STORE_PASSWORD = "changeit";

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom bloom;

  @TempDir Path directory;

  private KeyStore keys;

  @BeforeEach
  void makeCertificate() throws Exception {
    Path store = directory.resolve("keys.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-storetype",
                "PKCS12",
                "-storepass",
                STORE_PASSWORD,
                "-keystore",
                store.toString())
            .inheritIO()
            .start();
    assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
    keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, STORE_PASSWORD.toCharArray());
    }
  }

  private Path pem(String kind, byte[] bytes) throws Exception {
    return Files.writeString(
        directory.resolve(kind.replace(' ', '_') + ".pem"),
        "-----BEGIN %s-----\n%s\n-----END %s-----\n"
            .formatted(kind, Base64.getMimeEncoder().encodeToString(bytes), kind));
  }

  @Test
  void clientsThatEncryptAreServedAndOthersAreNot() throws Exception {
    Path certificate = pem("CERTIFICATE", keys.getCertificate("server").getEncoded());
    Path key = pem("PRIVATE KEY", keys.getKey("server", STORE_PASSWORD.toCharArray()).getEncoded());
    String name = FilterNames.newName();
    try (RedisServer server = RedisServer.builder(bloom).port(0).tls(certificate, key).start()) {
      InetSocketAddress address = server.address();
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(keys);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      try (RawClient client =
          new RawClient(
              context.getSocketFactory().createSocket(address.getAddress(), address.getPort()))) {
        assertThat(client.ask("BF.ADD", name, "a")).isEqualTo(":1\r\n");
        assertThat(client.ask("BF.EXISTS", name, "a")).isEqualTo(":1\r\n");
        client.send(RawClient.request("BF.ADD", name, "b") + RawClient.request("QUIT"));
        assertThat(client.answer()).isEqualTo(":1\r\n");
        assertThat(client.answer()).isEqualTo("+OK\r\n");
      }
      try (RawClient plain = new RawClient(address)) {
        assertThatThrownBy(() -> plain.ask("PING")).isInstanceOf(Exception.class);
      }
    }
  }

  @Test
  void filesThatAreNoKeysAreRefusedWhenTheServerIsDescribed() throws Exception {
    Path nothing = Files.writeString(directory.resolve("nothing.pem"), "nothing");
    assertThatThrownBy(() -> RedisServer.builder(bloom).tls(nothing, nothing))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining("PEM");
  }
}
