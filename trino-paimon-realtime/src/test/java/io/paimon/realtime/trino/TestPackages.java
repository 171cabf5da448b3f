package io.paimon.realtime.trino;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The packages of the connector use each other in one direction. */
final class TestPackages
{
    private static final String ROOT = "io.paimon.realtime.trino";
    private static final JavaClasses CLASSES = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests()).importPackages(ROOT);

    /** Packages whose classes Paimon's users may rely on. */
    private static final Set<String> PUBLIC_PACKAGES = Set.of(
            "org.apache.paimon",
            "org.apache.paimon.catalog",
            "org.apache.paimon.data",
            "org.apache.paimon.fs",
            "org.apache.paimon.options",
            "org.apache.paimon.predicate",
            "org.apache.paimon.reader",
            "org.apache.paimon.schema",
            "org.apache.paimon.table",
            "org.apache.paimon.table.sink",
            "org.apache.paimon.table.source",
            "org.apache.paimon.types",
            "org.apache.paimon.utils");

    /** Every other package of Paimon, with the packages of the connector that use it. */
    private static final Map<String, Set<String>> INTERNALS = Map.ofEntries(
            Map.entry("org.apache.paimon.data.columnar", Set.of("block", "read")),
            Map.entry("org.apache.paimon.deletionvectors", Set.of("file")),
            Map.entry("org.apache.paimon.disk", Set.of("filesystem", "read", "write")),
            Map.entry("org.apache.paimon.fileindex", Set.of("file")),
            Map.entry("org.apache.paimon.fs.local", Set.of("definition")),
            Map.entry("org.apache.paimon.iceberg", Set.of("definition")),
            Map.entry("org.apache.paimon.io", Set.of("file", "read")),
            Map.entry("org.apache.paimon.jdbc", Set.of("catalog")),
            Map.entry("org.apache.paimon.memory", Set.of("write")),
            Map.entry("org.apache.paimon.rest", Set.of("catalog")),
            Map.entry("org.apache.paimon.stats", Set.of("metadata", "statistics")),
            Map.entry("org.apache.paimon.tag", Set.of("metadata")));

    @Test
    void noCycles()
    {
        slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void metadataReadingAndWritingMeetInWhatIsBelowThem()
    {
        slices().matching(ROOT + ".(metadata|read|write)..").should().notDependOnEachOther().check(CLASSES);
    }

    @Test
    void nothingUsesTheRoot()
    {
        noClasses().that().resideOutsideOfPackage(ROOT).should().dependOnClassesThat().resideInAPackage(ROOT).check(CLASSES);
    }

    @Test
    void paimonInternalsAreTouchedOnlyWhereTheyMustBe()
    {
        INTERNALS.forEach((internal, users) -> noClasses().that()
                .resideOutsideOfPackages(users.stream().map(user -> ROOT + "." + user).toArray(String[]::new))
                .should().dependOnClassesThat().resideInAPackage(internal)
                .check(CLASSES));
        noClasses().should().dependOnClassesThat(
                new DescribedPredicate<JavaClass>("are internals of Paimon that no package of the connector needs") {
                    @Override
                    public boolean test(JavaClass javaClass)
                    {
                        String name = javaClass.getPackageName();
                        return name.startsWith("org.apache.paimon") && !PUBLIC_PACKAGES.contains(name) && !INTERNALS.containsKey(name);
                    }
                }).check(CLASSES);
    }
}
