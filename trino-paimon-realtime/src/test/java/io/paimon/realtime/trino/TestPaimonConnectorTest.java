package io.paimon.realtime.trino;

import io.trino.testing.BaseConnectorTest;
import io.trino.testing.QueryRunner;
import io.trino.testing.TestingConnectorBehavior;
import io.trino.testing.sql.TestTable;

import java.util.Optional;

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
            // whole columns are read
            case SUPPORTS_DEREFERENCE_PUSHDOWN -> false;
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
            case SUPPORTS_CANCELLATION -> true;
            default -> super.hasBehavior(connectorBehavior);
        };
    }

    @Override
    protected TestTable createTableWithDefaultColumns()
    {
        throw new UnsupportedOperationException("Default values of columns are not supported");
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
}
