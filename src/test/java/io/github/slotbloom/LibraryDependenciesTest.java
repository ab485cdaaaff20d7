package io.github.slotbloom;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** What the library needs. What users get of it is another matter: jOOQ comes inside the jar. */
class LibraryDependenciesTest {

  @Test
  void theLibraryNeedsJooqTwoHashLibrariesAndTheLoggingInterface() throws Exception {
    Document pom =
        DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new File("pom.xml"));
    XPath xpath = XPathFactory.newInstance().newXPath();
    NodeList found =
        (NodeList)
            xpath.evaluate(
                "/project/dependencies/dependency[not(optional = 'true')]"
                    + "[not(scope = 'test' or scope = 'provided')]/artifactId",
                pom,
                XPathConstants.NODESET);
    List<String> artifacts = new ArrayList<>();
    for (int i = 0; i < found.getLength(); i++) {
      artifacts.add(found.item(i).getTextContent());
    }
    assertThat(artifacts).containsExactlyInAnyOrder("jooq", "hash4j", "siphash", "slf4j-api");
  }
}
