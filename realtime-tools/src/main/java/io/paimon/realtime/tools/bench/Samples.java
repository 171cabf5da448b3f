package io.paimon.realtime.tools.bench;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableDoubleArray;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Measured values, ascending. */
record Samples(ImmutableDoubleArray sorted)
{
    /** A way to do the work; returns the number that was measured. */
    interface Contestant
    {
        double measure() throws Exception;
    }

    Samples
    {
        if (sorted.isEmpty()) {
            throw new IllegalArgumentException("No samples");
        }
    }

    static Samples of(List<Double> values)
    {
        return new Samples(ImmutableDoubleArray.copyOf(ImmutableList.sortedCopyOf(values)));
    }

    static Samples of(double value)
    {
        return of(List.of(value));
    }

    int count()
    {
        return sorted.length();
    }

    double min()
    {
        return sorted.get(0);
    }

    double max()
    {
        return sorted.get(sorted.length() - 1);
    }

    double median()
    {
        int count = sorted.length();
        return count % 2 == 1 ? sorted.get(count / 2) : (sorted.get(count / 2 - 1) + sorted.get(count / 2)) / 2;
    }

    /** The value that so many percent do not exceed. */
    double percentile(int percent)
    {
        return sorted.get(Math.max(0, Math.ceilDiv(sorted.length() * percent, 100) - 1));
    }

    /**
     * Lets the contestants measure in turns, so that what else runs on the machine hits all of them alike; the first rounds only warm up.
     */
    static Map<String, Samples> interleaved(int warmUps, int rounds, Map<String, Contestant> contestants) throws Exception
    {
        Map<String, List<Double>> values = new LinkedHashMap<>();
        for (int round = -warmUps; round < rounds; round++) {
            for (Map.Entry<String, Contestant> contestant : contestants.entrySet()) {
                double value = contestant.getValue().measure();
                if (round >= 0) {
                    values.computeIfAbsent(contestant.getKey(), _ -> new ArrayList<>()).add(value);
                }
            }
        }
        Map<String, Samples> samples = new LinkedHashMap<>();
        values.forEach((name, list) -> samples.put(name, of(list)));
        return samples;
    }
}
