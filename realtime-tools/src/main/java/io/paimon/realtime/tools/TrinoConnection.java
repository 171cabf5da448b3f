package io.paimon.realtime.tools;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;

/** One JDBC session on a Trino server. Not thread-safe. */
public final class TrinoConnection implements AutoCloseable
{
    private final Connection connection;

    private TrinoConnection(Connection connection)
    {
        this.connection = requireNonNull(connection, "connection is null");
    }

    /** @param address {@code host:port} */
    public static TrinoConnection open(String address, String user)
            throws SQLException
    {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        return new TrinoConnection(DriverManager.getConnection("jdbc:trino://" + address + "/paimon/default", properties));
    }

    public void execute(String sql)
            throws SQLException
    {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** All rows, each as the list of its values. */
    public List<List<Object>> query(String sql)
            throws SQLException
    {
        try (Statement statement = connection.createStatement(); ResultSet result = statement.executeQuery(sql)) {
            int columns = result.getMetaData().getColumnCount();
            ImmutableList.Builder<List<Object>> rows = ImmutableList.builder();
            while (result.next()) {
                List<Object> row = new ArrayList<>(columns);
                for (int column = 1; column <= columns; column++) {
                    row.add(result.getObject(column));
                }
                rows.add(Collections.unmodifiableList(row));
            }
            return rows.build();
        }
    }

    /** The number in the only column of the only row; 0 for NULL. */
    public long number(String sql)
            throws SQLException
    {
        List<List<Object>> rows = query(sql);
        if (rows.size() != 1 || rows.getFirst().size() != 1) {
            throw new IllegalArgumentException("not a query for one value: " + sql);
        }
        return rows.getFirst().getFirst() instanceof Number number ? number.longValue() : 0;
    }

    @Override
    public void close()
            throws SQLException
    {
        connection.close();
    }
}
