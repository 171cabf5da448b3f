package io.paimon.realtime.tools.bench;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import java.util.OptionalDouble;

/**
 * One number, what it is compared with, and what it should be.
 *
 * @param value median of the samples
 * @param baseline what the value is compared with, measured in the same run, in the same unit
 * @param aim what the value, or its ratio to the baseline, should be
 */
record Measurement(String metric, Samples samples, String unit, Optional<Baseline> baseline, Optional<Aim> aim)
{
    /** @param name what it is */
    record Baseline(String name, Samples samples)
    {
        Baseline
        {
            requireNonNull(name, "name is null");
            requireNonNull(samples, "samples is null");
        }
    }

    /**
     * @param atLeast whether more is better
     * @param ofRatio whether the ratio to the baseline is meant
     */
    record Aim(boolean atLeast, boolean ofRatio, double bound)
    {
        static Aim atLeast(double bound)
        {
            return new Aim(true, false, bound);
        }

        static Aim atMost(double bound)
        {
            return new Aim(false, false, bound);
        }

        static Aim ratioAtMost(double bound)
        {
            return new Aim(false, true, bound);
        }
    }

    Measurement
    {
        requireNonNull(metric, "metric is null");
        requireNonNull(samples, "samples is null");
        requireNonNull(unit, "unit is null");
        requireNonNull(baseline, "baseline is null");
        requireNonNull(aim, "aim is null");
        if (aim.isPresent() && aim.get().ofRatio() && baseline.isEmpty()) {
            throw new IllegalArgumentException("No baseline for the aim of " + metric);
        }
    }

    static Measurement of(String metric, Samples samples, String unit)
    {
        return new Measurement(metric, samples, unit, Optional.empty(), Optional.empty());
    }

    Measurement against(String name, Samples baseline)
    {
        return new Measurement(metric, samples, unit, Optional.of(new Baseline(name, baseline)), aim);
    }

    Measurement withAim(Aim aim)
    {
        return new Measurement(metric, samples, unit, baseline, Optional.of(aim));
    }

    double value()
    {
        return samples.median();
    }

    /** Value by baseline. */
    OptionalDouble ratio()
    {
        return baseline.isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(value() / baseline.get().samples().median());
    }

    /** Whether the aim is reached; empty if there is none. */
    Optional<Boolean> met()
    {
        return aim.map(wanted -> {
            double measured = wanted.ofRatio() ? ratio().orElseThrow() : value();
            return wanted.atLeast() ? measured >= wanted.bound() : measured <= wanted.bound();
        });
    }
}
