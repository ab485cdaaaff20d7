package io.github.slotbloom.artifacts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** What is published, as Maven Central and those who use it see it. */
class PublishedArtifactsIT {

  private static Publication publication;

  @BeforeAll
  static void publish() throws Exception {
    publication = Publication.get();
  }

  static List<String> artifacts() {
    return Publication.artifacts();
  }

  static List<String> jars() {
    return Publication.JARS;
  }

  @Test
  void nothingElseIsPublished() throws IOException {
    try (Stream<Path> directories = Files.list(publication.group())) {
      assertThat(directories.map(directory -> directory.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(artifacts());
    }
  }

  @ParameterizedTest
  @MethodSource("artifacts")
  void pomsSayWhatCentralAsksFor(String artifact) throws Exception {
    for (String element :
        List.of(
            "groupId",
            "artifactId",
            "version",
            "name",
            "description",
            "licenses/license/name",
            "licenses/license/url",
            "developers/developer/name")) {
      assertThat(pom(artifact, "/project/" + element)).as(element).hasSize(1);
    }
    assertThat(pom(artifact, "/project/url | /project/scm/url"))
        .containsOnly("https://github.com/slotbloom/slotbloom");
    assertThat(pom(artifact, "/project/scm/connection"))
        .containsExactly("scm:git:https://github.com/slotbloom/slotbloom.git");
  }

  @ParameterizedTest
  @MethodSource("artifacts")
  void pomsNeedNoOtherPom(String artifact) throws Exception {
    assertThat(pom(artifact, "/project/parent")).isEmpty();
    assertThat(pom(artifact, "/project/build | /project/profiles | /project/modules")).isEmpty();
    assertThat(pom(artifact, "//dependency[not(version)]/artifactId")).isEmpty();
    assertThat(pom(artifact, "//version")).isNotEmpty().noneMatch(version -> version.contains("$"));
  }

  @Test
  void usersOfTheLibraryGetTwoHashLibrariesAndTheLoggingInterface() throws Exception {
    assertThat(
            pom(
                "slotbloom",
                "/project/dependencies/dependency[not(optional = 'true')]"
                    + "[not(scope = 'test' or scope = 'provided')]/artifactId"))
        .containsExactlyInAnyOrder("hash4j", "siphash", "slf4j-api");
    assertThat(Files.readString(publication.file("slotbloom", ".pom"))).doesNotContain("jooq");
  }

  @Test
  void theBillOfMaterialsNamesAllModules() throws Exception {
    assertThat(pom(Publication.BOM, "/project/dependencyManagement//artifactId"))
        .containsExactlyInAnyOrderElementsOf(jars());
    assertThat(pom(Publication.BOM, "/project/dependencyManagement//version"))
        .containsOnly(Publication.VERSION);
  }

  @ParameterizedTest
  @MethodSource("jars")
  void sourcesAndJavadocComeAlong(String artifact) throws IOException {
    assertThat(names(publication.file(artifact, "-sources.jar")))
        .filteredOn(name -> name.endsWith(".java"))
        .isNotEmpty()
        .allMatch(name -> name.startsWith("io/github/slotbloom/"));
    assertThat(names(publication.file(artifact, "-javadoc.jar"))).contains("index.html");
  }

  /** With the jOOQ in the jar, which its pom does not name. */
  @Test
  void theSbomOfTheLibraryNamesWhatItNeedsAndContains() throws IOException {
    assertThat(components("slotbloom"))
        .contains("hash4j", "siphash", "slf4j-api", "jooq", "r2dbc-spi", "reactive-streams")
        .doesNotContain("jakarta.xml.bind-api", "junit-jupiter");
  }

  @ParameterizedTest
  @MethodSource("jars")
  void sbomsNameTheRuntimeDependenciesOfThePom(String artifact) throws Exception {
    assertThat(components(artifact))
        .containsAll(
            pom(
                artifact,
                "/project/dependencies/dependency[not(scope = 'test' or scope = 'provided')]"
                    + "/artifactId"));
  }

  private static Set<String> components(String artifact) throws IOException {
    String sbom = Files.readString(publication.file(artifact, "-cyclonedx.json"));
    assertThat(sbom).contains("\"bomFormat\" : \"CycloneDX\"").doesNotContain("timestamp");
    return Pattern.compile("\"purl\" : \"pkg:maven/[^/]+/([^@]+)@")
        .matcher(sbom)
        .results()
        .map(purl -> purl.group(1))
        .collect(Collectors.toSet());
  }

  @ParameterizedTest
  @MethodSource("artifacts")
  void allIsSigned(String artifact) throws Exception {
    assumeThat(publication.key()).as("GnuPG").isPresent();
    List<Path> contents = publication.contents(artifact);
    assertThat(contents).isNotEmpty();
    for (Path file : contents) {
      publication.key().orElseThrow().verify(file);
    }
  }

  @Test
  void aBuildIsRepeatedByteByByte() throws IOException {
    Path jar = publication.file("slotbloom", ".jar");
    assertThat(jar).hasSameBinaryContentAs(Publication.BUILT_JAR);
  }

  @Test
  void allThatIsInTheJarIsOurs() throws IOException {
    assertThat(names(publication.file("slotbloom", ".jar")))
        .contains(
            "META-INF/LICENSE",
            "META-INF/NOTICE",
            "META-INF/jooq/LICENSE.txt",
            "META-INF/jooq/ABOUT.txt",
            "io/github/slotbloom/shaded/jooq/DSLContext.class")
        .allMatch(
            name ->
                name.startsWith("io/github/slotbloom/")
                    || name.startsWith("META-INF/maven/io.github.slotbloom/")
                    || name.startsWith("META-INF/native-image/io.github.slotbloom/")
                    || name.equals("module-info.class")
                    || name.matches("META-INF/(MANIFEST.MF|LICENSE|NOTICE|jooq/[A-Z]+\\.txt)"));
  }

  private static List<String> names(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      return file.stream().filter(entry -> !entry.isDirectory()).map(JarEntry::getName).toList();
    }
  }

  private static List<String> pom(String artifact, String path) throws Exception {
    Document pom =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(publication.file(artifact, ".pom").toFile());
    XPath xpath = XPathFactory.newInstance().newXPath();
    NodeList found = (NodeList) xpath.evaluate(path, pom, XPathConstants.NODESET);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < found.getLength(); i++) {
      texts.add(found.item(i).getTextContent());
    }
    return texts;
  }
}
