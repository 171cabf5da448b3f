package io.paimon.realtime.read;

import static io.paimon.realtime.read.UnionTester.code;
import static io.paimon.realtime.read.UnionTester.row;
import static io.paimon.realtime.read.UnionTester.rows;
import static io.paimon.realtime.read.UnionTester.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.model.TableStatus.BucketStatus;
import io.paimon.realtime.scan.RealtimePlan;
import io.paimon.realtime.table.RealtimeTable.PreparedRound;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.options.ExpireConfig;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.RowKeyExtractor;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.types.DataTypes;
import org.junit.jupiter.api.Test;

/** What others do to a table while rows of it are in memory, and how a writer finds it again. */
final class TestLiveTableChanges
{
    @Test
    void foreignOverwriteTruncateAndPartitionDropTakeCommittedRowsOnly() throws Exception
    {
        try (UnionTester tester = new UnionTester(2, List.of("dt"), Map.of())) {
            tester.append(0, 12);
            tester.round();
            tester.append(12, 24);
            PlainPaimon.dropPartition(tester.plainTable(), partition(tester.plainTable(), row(0)));
            assertThat(tester.union()).isEqualTo(ids(id -> id < 24 && (id >= 12 || id % 3 != 0)));
            // in a partition that is overwritten the rows of memory stay as well
            PlainPaimon.overwrite(tester.plainTable(), List.of(row(100)));
            assertThat(tester.union()).isEqualTo(ids(id -> id == 100 || (id >= 12 && id < 24) || (id < 12 && id % 3 == 2)));
            PlainPaimon.truncate(tester.plainTable());
            assertThat(tester.union()).isEqualTo(texts(12, 24));
            assertThat(tester.committed()).isEmpty();
            tester.round();
            assertThat(tester.committed()).isEqualTo(texts(12, 24));
            assertThat(tester.union()).isEqualTo(texts(12, 24));
        }
    }

    private static List<String> ids(java.util.function.LongPredicate ids)
    {
        return texts(LongStream.range(0, 200).filter(ids).mapToObj(UnionTester::row).toList());
    }

    private static BinaryRow partition(FileStoreTable table, GenericRow row)
    {
        RowKeyExtractor extractor = table.createRowKeyExtractor();
        extractor.setRecord(row);
        return extractor.partition().copy();
    }

    @Test
    void schemaChangeSealsTheOpenSegmentAndStartsAnother() throws Exception
    {
        try (UnionTester tester = new UnionTester(1, List.of(), Map.of())) {
            tester.append(0, 3);
            tester.table().schemaManager().commitChanges(SchemaChange.addColumn("x", DataTypes.INT()));
            // until the next round rows have the old schema
            tester.append(3, 4);
            tester.prepare(tester.nextIdentifier());
            assertThat(tester.write().rowType().getFieldNames()).endsWith("x");
            tester.write().write(List.of(GenericRow.of(4L, null, null, null, 5)));
            assertThat(tester.write().status().buckets()).extracting(BucketStatus::segments).containsExactly(2);
            tester.refreshTable();
            List<String> expected = List.of("[0, v0, null, d0, null]", "[1, v1, 1, d1, null]", "[2, v2, 2, d2, null]", "[3, v3, 3, d0, null]",
                    "[4, null, null, null, 5]");
            assertThat(tester.union()).isEqualTo(expected);
            tester.round();
            tester.round();
            assertThat(tester.committed()).isEqualTo(expected);
        }
    }

    @Test
    void columnThatFilesCannotHoldIsRefusedBeforeRowsAreAccepted() throws Exception
    {
        assertThatThrownBy(() -> new UnionTester(1, List.of(), Map.of("file.format", "orc", "file.compression", "nonsense")))
                .isInstanceOfSatisfying(RealtimeException.class, code(Code.NOT_REALTIME)).hasMessageContaining("nonsense");
        try (UnionTester tester = new UnionTester(1, List.of(), Map.of("file.format", "avro"))) {
            tester.append(0, 3);
            // Paimon takes the column, and fails when a file is opened
            tester.table().schemaManager().commitChanges(SchemaChange.addColumn("x", DataTypes.MULTISET(DataTypes.INT())));
            tester.append(3, 5);
            tester.round();
            assertThat(tester.committed()).hasSize(5);
            assertThatThrownBy(() -> tester.append(5, 6)).isInstanceOfSatisfying(RealtimeException.class, code(Code.NOT_REALTIME))
                    .hasMessageContaining("avro");
            tester.table().schemaManager().commitChanges(SchemaChange.dropColumn("x"));
            assertThat(tester.write().prepareCommitWithProgress(tester.nextIdentifier())).isEmpty();
            tester.append(5, 6);
            assertThat(tester.union()).isEqualTo(texts(0, 6));
        }
    }

    @Test
    void optionsThatAreChangedApplyFromTheNextRoundOn() throws Exception
    {
        try (UnionTester tester = new UnionTester(1, List.of(), Map.of())) {
            tester.append(0, 3);
            tester.table().schemaManager().commitChanges(SchemaChange.setOption(CoreOptions.FILE_FORMAT.key(), "avro"));
            tester.round();
            tester.append(3, 5);
            tester.round();
            assertThat(tester.filesEndingWith(".parquet")).hasSize(1);
            assertThat(tester.filesEndingWith("-0.avro").stream().filter(name -> name.startsWith("data-"))).hasSize(1);
            assertThat(tester.committed()).isEqualTo(texts(0, 5));
            // somebody turns real-time writes off: what was accepted is committed
            tester.append(5, 6);
            tester.table().schemaManager().commitChanges(SchemaChange.setOption("realtime.enabled", "false"));
            tester.append(6, 7);
            tester.round();
            assertThat(tester.committed()).isEqualTo(texts(0, 7));
            assertThatThrownBy(() -> tester.append(7, 8)).isInstanceOfSatisfying(RealtimeException.class, code(Code.NOT_REALTIME))
                    .hasMessageContaining("SET PROPERTIES realtime = true");
        }
    }

    @Test
    void changedBucketCountIsRefusedUntilTheDataIsRescaled() throws Exception
    {
        try (UnionTester tester = new UnionTester(2, List.of(), Map.of())) {
            tester.append(0, 10);
            tester.round();
            tester.append(10, 20);
            tester.table().schemaManager().commitChanges(SchemaChange.setOption(CoreOptions.BUCKET.key(), "4"));
            // rows that were accepted are committed, others refused with what to do
            tester.round();
            assertThat(tester.committed()).isEqualTo(texts(0, 20));
            assertThatThrownBy(() -> tester.append(20, 30)).isInstanceOfSatisfying(RealtimeException.class, code(Code.UNAVAILABLE))
                    .hasMessageContaining("has 2 buckets, its option says 4").hasMessageContaining("INSERT OVERWRITE");
            assertThat(tester.union()).isEqualTo(texts(0, 20));
            PlainPaimon.overwrite(tester.plainTable(), rows(0, 20));
            assertThat(tester.write().prepareCommitWithProgress(tester.nextIdentifier())).isEmpty();
            tester.append(20, 40);
            assertThat(tester.union()).isEqualTo(texts(0, 40));
            tester.round();
            assertThat(tester.committed()).isEqualTo(texts(0, 40));
            assertThat(tester.plainTable().newReadBuilder().newScan().plan().splits())
                    .allSatisfy(split -> assertThat(((DataSplit) split).totalBuckets()).isEqualTo(4));
        }
    }

    @Test
    void rowsInMemoryGoToTheirNewBucketsWhenTheDataWasRescaled() throws Exception
    {
        try (UnionTester tester = new UnionTester(2, List.of(), Map.of())) {
            tester.append(0, 10);
            tester.round();
            tester.append(10, 20);
            tester.table().schemaManager().commitChanges(SchemaChange.setOption(CoreOptions.BUCKET.key(), "4"));
            PlainPaimon.overwrite(tester.plainTable(), rows(0, 10));
            assertThat(tester.union()).isEqualTo(texts(0, 20));
            // a key is looked for where it was routed to, not where it would be today
            tester.refreshTable();
            for (long id = 0; id < 20; id++) {
                try (RealtimePlan plan = tester.scan().withFilter(new PredicateBuilder(UnionTester.ROW_TYPE).equal(0, id)).plan()) {
                    assertThat(UnionTester.read(plan)).isEqualTo(texts(id, id + 1));
                }
            }
            tester.round();
            assertThat(tester.union()).isEqualTo(texts(0, 20));
            assertThat(tester.committed()).isEqualTo(texts(0, 20));
            tester.append(20, 30);
            tester.round();
            assertThat(tester.committed()).isEqualTo(texts(0, 30));
        }
    }

    @Test
    void preparedRoundIsFlushedAnewWhenTheDataWasRescaled() throws Exception
    {
        try (UnionTester tester = new UnionTester(2, List.of(), Map.of())) {
            tester.append(0, 10);
            tester.round();
            tester.append(10, 20);
            PreparedRound round = tester.prepare(tester.nextIdentifier());
            tester.table().schemaManager().commitChanges(SchemaChange.setOption(CoreOptions.BUCKET.key(), "4"));
            PlainPaimon.overwrite(tester.plainTable(), rows(0, 10));
            assertThatThrownBy(() -> tester.write().commitWithProgress(round)).isInstanceOfSatisfying(RealtimeException.class,
                    code(Code.COMMIT_FAILED));
            assertThat(tester.union()).isEqualTo(texts(0, 20));
            tester.round();
            assertThat(tester.union()).isEqualTo(texts(0, 20));
            assertThat(tester.committed()).isEqualTo(texts(0, 20));
        }
    }

    @Test
    void everyPartitionBucketRestartsAtItsOwnOffset() throws Exception
    {
        try (UnionTester tester = new UnionTester(2, List.of("dt"), Map.of())) {
            tester.append(0, 7);
            tester.append(0, 50);
            tester.write().write(List.of(GenericRow.of(50L, null, null, BinaryString.fromString("only"))));
            Map<String, Long> uppers = uppers(tester);
            assertThat(uppers.values()).doesNotContain(0L);
            assertThat(new java.util.HashSet<>(uppers.values())).hasSizeGreaterThan(2);
            tester.round();
            tester.restart();
            for (long id = 0; id <= 50; id++) {
                tester.write().write(List.of(id == 50 ? GenericRow.of(50L, null, null, BinaryString.fromString("only")) : row(id)));
            }
            Map<String, Long> expected = new HashMap<>(uppers);
            // what the second writer wrote is what the first one wrote but for the first seven rows
            tester.append(0, 7);
            uppers.forEach((bucket, upper) -> expected.put(bucket, 2 * upper));
            assertThat(uppers(tester)).isEqualTo(expected);
            tester.round();
            assertThat(tester.committed()).hasSize(2 * 58);
        }
    }

    private static Map<String, Long> uppers(UnionTester tester)
    {
        return tester.write().status().buckets().stream()
                .collect(Collectors.toMap(bucket -> bucket.partition() + "/" + bucket.bucket(), BucketStatus::upperOffset));
    }

    @Test
    void foreignSnapshotsCarryNoOffsetsAndOursIsKeptFromExpiry() throws Exception
    {
        try (UnionTester tester = new UnionTester(2, List.of(), Map.of())) {
            tester.append(0, 10);
            long ours = tester.round();
            for (int i = 0; i < 5; i++) {
                PlainPaimon.append(tester.plainTable(), rows(100 + i, 101 + i));
            }
            tester.append(10, 15);
            List<String> expected = ids(id -> id < 15 || (id >= 100 && id < 105));
            assertThat(tester.union()).isEqualTo(expected);
            tester.plainTable().newExpireSnapshots().config(ExpireConfig.builder().snapshotRetainMin(1).snapshotRetainMax(1)
                    .snapshotTimeRetain(java.time.Duration.ZERO).build()).expire();
            assertThat(tester.plainTable().snapshotManager().earliestSnapshotId()).isEqualTo(ours);
            assertThat(tester.union()).isEqualTo(expected);
            // whoever comes next finds the offsets behind the others' snapshots
            tester.round();
            tester.restart();
            assertThat(tester.union()).isEqualTo(expected);
            tester.append(15, 20);
            assertThat(tester.union()).isEqualTo(ids(id -> id < 20 || (id >= 100 && id < 105)));
        }
    }

    @Test
    void offsetsThatAreGoneWithTheirSnapshotAreSaidAgain() throws Exception
    {
        try (UnionTester tester = new UnionTester(2, List.of(), Map.of())) {
            tester.append(0, 10);
            tester.round();
            tester.append(10, 15);
            PlainPaimon.append(tester.plainTable(), rows(100, 101));
            // the consumer is removed by hand, and our snapshot expires
            tester.plainTable().consumerManager().consumers().keySet().forEach(tester.plainTable().consumerManager()::deleteConsumer);
            tester.plainTable().newExpireSnapshots().config(ExpireConfig.builder().snapshotRetainMin(1).snapshotRetainMax(1)
                    .snapshotTimeRetain(java.time.Duration.ZERO).build()).expire();
            List<String> expected = ids(id -> id < 15 || id == 100);
            // until the writer has noticed nobody can tell what of its rows is in the snapshots that are left
            assertThatThrownBy(tester::union).isInstanceOfSatisfying(RealtimeException.class, code(Code.UNAVAILABLE));
            // saying it takes an identifier
            tester.write().refreshCommittedSnapshot(tester.write().commitWithProgress(tester.prepare(tester.nextIdentifier() + 1)));
            assertThat(tester.committed()).isEqualTo(expected);
            assertThat(tester.union()).isEqualTo(expected);
            try (RealtimePlan plan = tester.scan().withCommittedOnly().plan()) {
                assertThat(UnionTester.read(plan)).isEqualTo(expected);
            }
        }
    }
}
