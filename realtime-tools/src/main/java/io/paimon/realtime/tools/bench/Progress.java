package io.paimon.realtime.tools.bench;

import java.util.function.Consumer;

/** Says what is being done, one line for each step. */
final class Progress
{
    private final Consumer<String> lines;

    Progress(Consumer<String> lines)
    {
        this.lines = lines;
    }

    void step(String format, Object... arguments)
    {
        lines.accept(format.formatted(arguments));
    }
}
