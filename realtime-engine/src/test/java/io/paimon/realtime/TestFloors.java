package io.paimon.realtime;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.base.DescribedPredicate;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The floors of the engine: each imports only what stands below it. */
final class TestFloors
{
    private static final JavaClasses CLASSES = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.paimon.realtime");

    /** Packages whose classes Paimon's users may rely on; everything else is Paimon's own business. */
    private static final Set<String> PUBLIC_PACKAGES = Set.of(
            "org.apache.paimon.types",
            "org.apache.paimon.data",
            "org.apache.paimon.data.variant",
            "org.apache.paimon.predicate",
            "org.apache.paimon.catalog",
            "org.apache.paimon.casting",
            "org.apache.paimon.fs",
            "org.apache.paimon.reader",
            "org.apache.paimon.schema",
            "org.apache.paimon.table",
            "org.apache.paimon.table.sink",
            "org.apache.paimon.table.source",
            "org.apache.paimon.options",
            "org.apache.paimon.utils",
            "org.apache.paimon.consumer",
            "org.apache.paimon");

    @Test
    void everyFloorImportsOnlyWhatStandsBelowIt()
    {
        layeredArchitecture().consideringOnlyDependenciesInLayers()
                .optionalLayer("flight").definedBy("io.paimon.realtime.flight..")
                .layer("service").definedBy("io.paimon.realtime.service..")
                .optionalLayer("read").definedBy("io.paimon.realtime.read..")
                .layer("scan").definedBy("io.paimon.realtime.scan..")
                .layer("table").definedBy("io.paimon.realtime.table..")
                .layer("paimon").definedBy("io.paimon.realtime.paimon..")
                .layer("memory").definedBy("io.paimon.realtime.memory..")
                .optionalLayer("log").definedBy("io.paimon.realtime.log..")
                .layer("model").definedBy("io.paimon.realtime.model..")
                .whereLayer("flight").mayNotBeAccessedByAnyLayer()
                .whereLayer("service").mayOnlyBeAccessedByLayers("flight")
                .whereLayer("read").mayOnlyBeAccessedByLayers("flight", "service")
                .whereLayer("scan").mayOnlyBeAccessedByLayers("flight", "service", "read")
                .whereLayer("table").mayOnlyBeAccessedByLayers("flight", "service", "read", "scan")
                .whereLayer("paimon").mayOnlyBeAccessedByLayers("flight", "service", "read", "scan", "table")
                .whereLayer("memory").mayOnlyBeAccessedByLayers("flight", "service", "read", "scan", "table", "paimon")
                .whereLayer("log").mayOnlyBeAccessedByLayers("flight", "service", "read", "scan", "table", "paimon")
                .check(CLASSES);
    }

    @Test
    void theEngineKnowsNothingOfTrino()
    {
        noClasses().should().dependOnClassesThat().resideInAnyPackage("io.trino..").check(CLASSES);
    }

    @Test
    void paimonInternalsAreTouchedInOnePackage()
    {
        noClasses().that().resideOutsideOfPackage("io.paimon.realtime.paimon..").should().dependOnClassesThat(
                new DescribedPredicate<JavaClass>("are Paimon internals") {
                    @Override
                    public boolean test(JavaClass javaClass)
                    {
                        String name = javaClass.getPackageName();
                        return name.startsWith("org.apache.paimon") && !PUBLIC_PACKAGES.contains(name);
                    }
                }).check(CLASSES);
    }
}
