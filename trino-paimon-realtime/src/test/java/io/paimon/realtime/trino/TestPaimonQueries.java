package io.paimon.realtime.trino;

import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

final class TestPaimonQueries extends AbstractTestQueryFramework
{
    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        QueryRunner queryRunner = PaimonQueryRunner.builder().build();
        queryRunner.execute("CREATE SCHEMA paimon.tpch");
        return queryRunner;
    }

    @Test
    void createInsertAndSelectInEveryFormatAndKindOfTable()
    {
        for (String format : new String[]{"parquet", "orc", "avro"}) {
            for (String kind : new String[]{
                    "bucket = -1",
                    "bucket = 3, bucket_key = ARRAY['orderkey']",
                    "bucket = -1, partitioned_by = ARRAY['orderstatus']",
                    "bucket = 2, primary_key = ARRAY['orderkey']",
                    "bucket = 2, primary_key = ARRAY['orderkey', 'orderstatus'], partitioned_by = ARRAY['orderstatus']"}) {
                assertUpdate(
                        "CREATE TABLE t WITH (file_format = '%s', %s) AS SELECT * FROM tpch.tiny.orders WHERE orderkey %% 2 = 0".formatted(format,
                                kind),
                        "SELECT count(*) FROM orders WHERE orderkey % 2 = 0");
                assertUpdate("INSERT INTO t SELECT * FROM tpch.tiny.orders WHERE orderkey % 2 = 1",
                        "SELECT count(*) FROM orders WHERE orderkey % 2 = 1");
                assertQuery("SELECT * FROM t", "SELECT * FROM orders");
                assertQuery("SELECT count(*) FROM t", "SELECT count(*) FROM orders");
                assertQuery("SELECT * FROM t WHERE orderstatus = 'F' AND orderkey < 100",
                        "SELECT * FROM orders WHERE orderstatus = 'F' AND orderkey < 100");
                assertThat(computeActual("SELECT snapshot_id FROM \"t$snapshots\"").getRowCount()).isEqualTo(2);
                assertUpdate("DROP TABLE t");
            }
        }
    }
}
