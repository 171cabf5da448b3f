package io.paimon.realtime.tools;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A command line of {@code --name value} options, flags and positional arguments. */
public record Arguments(Map<String, String> options, List<String> positional)
{
    public Arguments
    {
        options = Map.copyOf(options);
        positional = ImmutableList.copyOf(positional);
    }

    /**
     * @param valued names of the options that take a value, with the dashes
     * @param flags names of the options that take none
     * @throws UsageException for any other option, an option given twice or a missing value
     */
    public static Arguments parse(String[] arguments, Set<String> valued, Set<String> flags)
    {
        Map<String, String> options = new LinkedHashMap<>();
        ImmutableList.Builder<String> positional = ImmutableList.builder();
        for (int i = 0; i < arguments.length; i++) {
            String argument = arguments[i];
            if (!argument.startsWith("--")) {
                positional.add(argument);
                continue;
            }
            String value = "";
            if (valued.contains(argument)) {
                if (i + 1 == arguments.length) {
                    throw new UsageException(argument + " needs a value");
                }
                i++;
                value = arguments[i];
            }
            else if (!flags.contains(argument)) {
                throw new UsageException("unknown option: " + argument);
            }
            if (options.put(argument, value) != null) {
                throw new UsageException(argument + " is given twice");
            }
        }
        return new Arguments(options, positional.build());
    }

    public static Arguments parse(String[] arguments, Set<String> valued)
    {
        return parse(arguments, valued, ImmutableSet.of());
    }

    public boolean has(String name)
    {
        return options.containsKey(name);
    }

    public Optional<String> value(String name)
    {
        return Optional.ofNullable(options.get(name));
    }

    public String required(String name)
    {
        return value(name).orElseThrow(() -> new UsageException(name + " is missing"));
    }

    public int integer(String name, int minimum, int maximum, int otherwise)
    {
        Optional<String> text = value(name);
        if (text.isEmpty()) {
            return otherwise;
        }
        try {
            int number = Integer.parseInt(text.get());
            if (number >= minimum && number <= maximum) {
                return number;
            }
        }
        catch (NumberFormatException e) {
            throw new UsageException("%s needs a whole number, not: %s".formatted(name, text.get()), e);
        }
        throw new UsageException("%s is between %s and %s, not: %s".formatted(name, minimum, maximum, text.get()));
    }
}
