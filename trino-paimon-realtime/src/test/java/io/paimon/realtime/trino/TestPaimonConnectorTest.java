package io.paimon.realtime.trino;

import io.trino.Session;
import io.trino.testing.BaseConnectorTest;
import io.trino.testing.QueryRunner;
import io.trino.testing.TestingConnectorBehavior;
import io.trino.testing.sql.TestTable;
import org.junit.jupiter.api.Test;

import java.util.Optional;
import java.util.OptionalInt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

final class TestPaimonConnectorTest extends BaseConnectorTest
{
    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return PaimonQueryRunner.builder()
                .setWorkerCount(2)
                .setInitialTables(REQUIRED_TPCH_TABLES)
                .build();
    }

    @Override
    protected boolean hasBehavior(TestingConnectorBehavior connectorBehavior)
    {
        return switch (connectorBehavior) {
            // Paimon has views and functions, but their dialects are not Trino's
            case SUPPORTS_CREATE_VIEW, SUPPORTS_CREATE_MATERIALIZED_VIEW, SUPPORTS_CREATE_FUNCTION -> false;
            // files are pruned, rows are not filtered: the engine evaluates everything again
            case SUPPORTS_PREDICATE_EXPRESSION_PUSHDOWN -> false;
            // Paimon's reader knows no aggregation, and neither top-n nor limit is guaranteed by it
            case SUPPORTS_AGGREGATION_PUSHDOWN, SUPPORTS_TOPN_PUSHDOWN, SUPPORTS_LIMIT_PUSHDOWN, SUPPORTS_JOIN_PUSHDOWN -> false;
            // files are committed by statements of their own, and rows of them cannot be named
            case SUPPORTS_DELETE, SUPPORTS_UPDATE, SUPPORTS_MERGE, SUPPORTS_ROW_LEVEL_DELETE, SUPPORTS_ROW_LEVEL_UPDATE -> false;
            // a table cannot be replaced by one commit
            case SUPPORTS_CREATE_OR_REPLACE_TABLE -> false;
            // Paimon's file system catalog cannot rename a database
            case SUPPORTS_RENAME_SCHEMA -> false;
            // rows written before would have no value
            case SUPPORTS_ADD_COLUMN_NOT_NULL_CONSTRAINT -> false;
            // Paimon keeps default values as text that only its own writers read
            case SUPPORTS_DEFAULT_COLUMN_VALUE, SUPPORTS_SET_DEFAULT_COLUMN_VALUE, SUPPORTS_DROP_DEFAULT_COLUMN_VALUE -> false;
            // a statement is a commit of its own, which the end of the transaction could not take back
            case SUPPORTS_MULTI_STATEMENT_WRITES -> false;
            case SUPPORTS_TRUNCATE, SUPPORTS_CANCELLATION, SUPPORTS_DEREFERENCE_PUSHDOWN, SUPPORTS_DYNAMIC_FILTER_PUSHDOWN,
                    SUPPORTS_REPORTING_WRITTEN_BYTES ->
                true;
            default -> super.hasBehavior(connectorBehavior);
        };
    }

    /** No file is read as a whole for being small. */
    @Override
    protected Session withoutSmallFileThreshold(Session session)
    {
        return session;
    }

    @Override
    protected TestTable createTableWithDefaultColumns()
    {
        return abort("Default values of columns are not supported");
    }

    @Override
    protected Optional<DataMappingTestSetup> filterDataMappingSmokeTestData(DataMappingTestSetup dataMappingTestSetup)
    {
        return switch (dataMappingTestSetup.getTrinoTypeName()) {
            // Paimon keeps milliseconds of the day
            case "time(6)" -> Optional.of(dataMappingTestSetup.asUnsupported());
            default -> Optional.of(dataMappingTestSetup);
        };
    }

    @Override
    protected Optional<SetColumnTypeSetup> filterSetColumnTypesDataProvider(SetColumnTypeSetup setup)
    {
        String change = setup.sourceColumnType() + " -> " + setup.newColumnType();
        return Optional.of(switch (change) {
            // values could be lost
            case "bigint -> integer", "bigint -> smallint", "bigint -> tinyint", "decimal(5,3) -> decimal(5,2)", "timestamp(6) -> timestamp(3)",
                    "varchar(100) -> varchar(50)",
                    "char(25) -> char(20)", "varchar -> char(20)" ->
                setup.asUnsupported();
            // Paimon keeps milliseconds of the day
            case "time(3) -> time(6)" -> setup.asUnsupported();
            // Paimon keeps instants, not zones
            case "timestamp(3) with time zone -> timestamp(6) with time zone" ->
                setup.withNewValueLiteral("TIMESTAMP '2020-02-12 14:03:00.123000 UTC'");
            // Paimon does not pad
            case "char(20) -> varchar" -> setup.withNewValueLiteral("VARCHAR 'char-to-varchar'");
            // fields and elements change one by one
            default -> setup.sourceColumnType().matches("(array|row|map).*") ? setup.asUnsupported() : setup;
        });
    }

    @Override
    protected Optional<SetColumnTypeSetup> filterSetFieldTypesDataProvider(SetColumnTypeSetup setup)
    {
        return filterSetColumnTypesDataProvider(setup);
    }

    @Override
    protected void verifySetColumnTypeFailurePermissible(Throwable e)
    {
        assertThat(e).hasMessageMatching("(?s)Cannot change the type of .*: values could be lost.*|Unsupported type: time\\(6\\)");
    }

    @Override
    protected void verifySetFieldTypeFailurePermissible(Throwable e)
    {
        verifySetColumnTypeFailurePermissible(e);
    }

    @Test
    @Override
    public void testSetColumnIncompatibleType()
    {
        // text may become a number, as in Paimon: what is no number cannot be read
        try (TestTable table = newTrinoTable("test_set_invalid_column_type_", "AS SELECT 'test' AS col")) {
            assertUpdate("ALTER TABLE " + table.getName() + " ALTER COLUMN col SET DATA TYPE integer");
            assertQueryFails("SELECT * FROM " + table.getName(), "(?s)Cannot read .*");
        }
        try (TestTable table = newTrinoTable("test_set_column_type_", "AS SELECT * FROM (VALUES VARCHAR '9', '10', '11') t(col)")) {
            assertUpdate("ALTER TABLE " + table.getName() + " ALTER COLUMN col SET DATA TYPE integer");
            assertQuery("SELECT * FROM " + table.getName() + " WHERE col > 9", "VALUES 10, 11");
        }
    }

    @Test
    @Override
    public void testSetFieldIncompatibleType()
    {
        try (TestTable table = newTrinoTable("test_set_invalid_field_type_", "(row_col row(field varchar), nested_col row(field row(nested int)))")) {
            for (String change : new String[]{"row_col.field SET DATA TYPE row(nested integer)", "nested_col.field SET DATA TYPE integer"}) {
                assertThatThrownBy(() -> assertUpdate("ALTER TABLE " + table.getName() + " ALTER COLUMN " + change))
                        .satisfies(this::verifySetFieldTypeFailurePermissible);
            }
        }
    }

    @Test
    @Override
    public void testSetFieldMapKeyType()
    {
        try (TestTable table = newTrinoTable("test_set_field_type_in_map",
                "AS SELECT CAST(map(array[row(1)], array[2]) AS map(row(field integer), integer)) AS col")) {
            assertQueryFails("ALTER TABLE " + table.getName() + " ALTER COLUMN col.key.field SET DATA TYPE bigint",
                    "Paimon does not support changing fields in keys of maps: col.key.field");
        }
    }

    @Test
    @Override
    public void testSetNestedFieldMapKeyType()
    {
        try (TestTable table = newTrinoTable("test_set_nested_field_type_in_map",
                "AS SELECT CAST(array[map(array[row(1)], array[2])] AS array(map(row(field integer), integer))) AS col")) {
            assertQueryFails("ALTER TABLE " + table.getName() + " ALTER COLUMN col.element.key.field SET DATA TYPE bigint",
                    "Paimon does not support changing fields in keys of maps: col.element.key.field");
        }
    }

    @Test
    @Override
    public void testDropRowFieldWhenDuplicates()
    {
        assertQueryFails("CREATE TABLE test_duplicates AS SELECT CAST(row(1, 2, 3) AS row(a integer, a integer, b integer)) AS col",
                "Fields of a row need names of their own to be stored in Paimon: .*");
    }

    @Test
    @Override
    public void testDropAmbiguousRowFieldCaseSensitivity()
    {
        // names stay as they were written
        try (TestTable table = newTrinoTable("test_drop_row_field_case_sensitivity_",
                "AS SELECT CAST(row(1, 2, 3) AS row(\"sOME_FIELd\" integer, \"some_field\" integer, \"SomE_Field\" integer)) AS col")) {
            assertUpdate("ALTER TABLE " + table.getName() + " DROP COLUMN col.some_field");
            assertThat(getColumnType(table.getName(), "col")).isEqualTo("row(\"sOME_FIELd\" integer, \"SomE_Field\" integer)");
            assertThat(query("SELECT * FROM " + table.getName()))
                    .matches("SELECT CAST(row(1, 3) AS row(\"sOME_FIELd\" integer, \"SomE_Field\" integer))");
        }
    }

    @Override
    protected String errorMessageForInsertIntoNotNullColumn(String columnName)
    {
        return "NULL value not allowed for NOT NULL column: " + columnName;
    }

    @Override
    protected void verifyVersionedQueryFailurePermissible(Exception e)
    {
        assertThat(e).hasMessageMatching(
                "Table .* has no (version at or before|snapshot|tag) .*|A version is a snapshot id or the name of a tag, not a .*|Reading the changes between two versions is not supported.*");
    }

    @Override
    protected OptionalInt maxSchemaNameLength()
    {
        // a folder with the ending .db
        return OptionalInt.of(252);
    }

    @Override
    protected void verifySchemaNameLengthFailurePermissible(Throwable e)
    {
        assertThat(e).hasMessageStartingWith("Cannot create schema");
    }

    @Override
    protected OptionalInt maxTableNameLength()
    {
        // a folder
        return OptionalInt.of(255);
    }

    @Override
    protected void verifyTableNameLengthFailurePermissible(Throwable e)
    {
        assertThat(e).hasMessageMatching("(?s)Cannot (create|rename) table .*");
    }
}
