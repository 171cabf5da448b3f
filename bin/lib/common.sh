# What the scripts in bin/ share: the JDK, the builds, the running server. Sourced by them after `root` is set; POSIX sh.

program=${0##*/}
target=$root/target
trino_version=483
trino_cli_version=476
dependency_plugin=org.apache.maven.plugins:maven-dependency-plugin:3.9.0

# what Trino 483 and Arrow 19 need of the JVM
arrow_flags='--sun-misc-unsafe-memory-access=allow --add-opens=java.base/java.nio=ALL-UNNAMED --enable-native-access=ALL-UNNAMED'
jvm_flags="--add-modules=jdk.incubator.vector $arrow_flags"

say()
{
    printf '%s: %s\n' "$program" "$*" >&2
}

die()
{
    say "$@"
    exit 1
}

usage_error()
{
    say "$@ (see $program --help)"
    exit 2
}

is_jdk_25()
{
    [ -x "$1/bin/javac" ] || return 1
    if [ -r "$1/release" ]; then
        grep -q '^JAVA_VERSION="25[."+-]' "$1/release"
    else
        "$1/bin/java" -version 2>&1 | grep -q 'version "25[."+-]'
    fi
}

# sets JDK
find_jdk()
{
    if [ -n "${JAVA_HOME:-}" ] && is_jdk_25 "$JAVA_HOME"; then
        JDK=$JAVA_HOME
        return
    fi
    java_on_path=$(command -v java || true)
    if [ -n "$java_on_path" ]; then
        java_on_path=$(readlink -f "$java_on_path" 2>/dev/null || printf %s "$java_on_path")
        candidate=$(dirname "$(dirname "$java_on_path")")
        if is_jdk_25 "$candidate"; then
            JDK=$candidate
            return
        fi
    fi
    for candidate in /usr/lib/jvm/* /Library/Java/JavaVirtualMachines/*/Contents/Home; do
        if is_jdk_25 "$candidate"; then
            JDK=$candidate
            return
        fi
    done
    die 'no JDK 25 in $JAVA_HOME, on the PATH or under /usr/lib/jvm: install one (for example the package temurin-25-jdk or openjdk-25-jdk) or set JAVA_HOME'
}

# run_maven WHAT ARGS..: one line of progress on a terminal, everything in target/build.log
run_maven()
{
    what=$1
    shift
    command -v mvn >/dev/null 2>&1 || die 'mvn is not on the PATH: install Maven 3.8 or newer (for example the package maven)'
    mkdir -p "$target"
    log=$target/build.log
    rm -f "$log.rc"
    say "$what (log: $log)"
    {
        rc=0
        JAVA_HOME=$JDK MAVEN_OPTS="${MAVEN_OPTS:-} --sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED" mvn -B "$@" 2>&1 || rc=$?
        printf '%s\n' "$rc" >"$log.rc"
    } | show_progress "$log"
    rc=$(cat "$log.rc" 2>/dev/null || echo 1)
    rm -f "$log.rc"
    if [ "$rc" != 0 ]; then
        grep '^\[ERROR\]' "$log" | head -n 30 >&2 || true
        die "$what failed (mvn exit $rc); the whole log: $log"
    fi
}

show_progress()
{
    : >"$1"
    downloaded=0
    [ -t 2 ] && terminal=true || terminal=false
    while IFS= read -r line; do
        printf '%s\n' "$line" >>"$1"
        case $line in
            *Downloaded\ from*)
                downloaded=$((downloaded + 1))
                if $terminal; then
                    printf '\r  %s files downloaded ' "$downloaded" >&2
                elif [ $((downloaded % 200)) = 0 ]; then
                    printf '  %s files downloaded\n' "$downloaded" >&2
                fi ;;
            *'[INFO] Building '*'['*)
                if $terminal; then printf '\r\033[K' >&2; fi
                printf '  %s\n' "${line#*INFO] }" >&2 ;;
        esac
    done
    if $terminal && [ "$downloaded" -gt 0 ]; then printf '\n' >&2; fi
}

# The names of all sources the jars are made of, so that a removed file is noticed as well
source_list()
{
    (cd "$root" && find pom.xml src realtime-engine trino-paimon-realtime realtime-tools -name target -prune -o -type f ! -path '*/src/test/*' -print | LC_ALL=C sort)
}

project_is_built()
{
    stamp=$target/project.stamp
    [ -f "$stamp" ] || return 1
    [ -d "$root/trino-paimon-realtime/target/plugin/paimon" ] && [ -d "$root/realtime-tools/target/lib" ] || return 1
    source_list | cmp -s - "$stamp" || return 1
    [ -z "$(cd "$root" && find pom.xml src realtime-engine trino-paimon-realtime realtime-tools -name target -prune -o -type f ! -path '*/src/test/*' -newer "$stamp" -print | head -n 1)" ]
}

first_build_note()
{
    if [ ! -d "$target/server/lib" ] && [ -z "${first_build_noted:-}" ]; then
        first_build_noted=true
        say 'first build: Maven downloads hundreds of MB into its local repository, which can take some minutes'
    fi
}

build_project()
{
    # the tests of a build run the scripts on what that build has just made
    if [ "${PAIMON_REALTIME_BUILD:-}" = skip ]; then
        return
    fi
    project_is_built && return
    first_build_note
    mkdir -p "$target"
    source_list >"$target/project.stamp.new"
    run_maven 'building the connector and the tools' -f "$root/pom.xml" package -pl realtime-engine,trino-paimon-realtime,realtime-tools -DskipTests -Dformatter.skip=true
    # as old as the start of the build: a source changed meanwhile is built next time
    mv "$target/project.stamp.new" "$target/project.stamp"
}

build_server()
{
    [ -f "$target/server/$trino_version" ] && [ ! "$root/bin/lib/poms/server/pom.xml" -nt "$target/server/$trino_version" ] && return
    first_build_note
    rm -rf "$target/server"
    run_maven "fetching the Trino $trino_version server" -f "$root/bin/lib/poms/server/pom.xml" "$dependency_plugin:copy-dependencies" \
        "-Dtrino.version=$trino_version" -DincludeScope=runtime "-DoutputDirectory=$target/server/lib"
    : >"$target/server/$trino_version"
}

# build_plugin NAME CLASS: one of Trino's own plugins into target/plugin/NAME
build_plugin()
{
    plugin=$target/plugin/$1
    [ -f "$plugin/services.jar" ] && [ ! "$root/bin/lib/poms/plugin/pom.xml" -nt "$plugin/services.jar" ] && return
    rm -rf "$plugin"
    run_maven "fetching the Trino plugin $1" -f "$root/bin/lib/poms/plugin/pom.xml" "$dependency_plugin:copy-dependencies" \
        "-Dtrino.version=$trino_version" "-Dplugin.artifact=trino-$1" -DincludeScope=runtime -DprependGroupId=true "-DoutputDirectory=$plugin"
    # the published jars lack the file by which Trino finds a plugin
    services=$target/poms/plugin/$1
    mkdir -p "$services/META-INF/services"
    printf '%s\n' "$2" >"$services/META-INF/services/io.trino.spi.Plugin"
    "$JDK/bin/jar" --create --file "$plugin/services.jar" -C "$services" META-INF
}

build_cli()
{
    cli=$target/cli/trino-cli-$trino_cli_version-executable.jar
    [ -f "$cli" ] && return
    run_maven 'fetching the Trino command line client' -f "$root/bin/lib/poms/server/pom.xml" "$dependency_plugin:copy" \
        "-Dartifact=io.trino:trino-cli:$trino_cli_version:jar:executable" "-DoutputDirectory=$target/cli"
}

# sets tools_class_path
tools_class_path()
{
    tools_class_path=$(ls "$root"/realtime-tools/target/realtime-tools-*.jar | grep -v -e '-tests\.jar$' -e '-sources\.jar$' | head -n 1):$root/realtime-tools/target/lib/*
}

# run_tool CLASS ARGS..: one of the programs of realtime-tools
run_tool()
{
    (exec_tool "$@")
}

# exec_tool CLASS ARGS..: in the place of this shell, so that signals reach it
exec_tool()
{
    tool=$1
    shift
    tools_class_path
    # shellcheck disable=SC2086
    exec "$JDK/bin/java" $arrow_flags -XX:-UsePerfData ${TOOL_JVM_FLAGS:--Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1} -Dfile.encoding=UTF-8 \
        -Djava.util.logging.config.file="$root/bin/lib/logging.properties" -cp "$tools_class_path" "io.paimon.realtime.tools.$tool" "$@"
}

# absolute DIR: the folder need not be there
absolute()
{
    case $1 in
        /*) printf '%s\n' "$1" ;;
        *) printf '%s/%s\n' "$(pwd)" "$1" ;;
    esac
}

# check_heap SIZE: before anything is built for it
check_heap()
{
    case $1 in
        *[!0-9]*[kKmMgG] | [kKmMgG]) ;;
        *[0-9][kKmMgG]) return ;;
    esac
    usage_error "--heap is a size as 512m or 4g, not: $1"
}

# is_running NAME: whether the process of DIR/NAME.pid lives and is the one that was started for this folder; sets pid
is_running()
{
    [ -f "$data/$1.pid" ] || return 1
    pid=$(cat "$data/$1.pid")
    case $pid in
        '' | *[!0-9]*) return 1 ;;
    esac
    kill -0 "$pid" 2>/dev/null || return 1
    # a process id is used again by others
    if [ -r "/proc/$pid/cmdline" ]; then
        tr '\0' '\n' <"/proc/$pid/cmdline" | grep -qxF -e "-Dconfig=$data/etc/$1/config.properties"
    else
        ps -o args= -p "$pid" | grep -qF -e "-Dconfig=$data/etc/$1/config.properties"
    fi
}
