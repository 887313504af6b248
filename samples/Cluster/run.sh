#!/bin/sh
# Three log servers and three nodes on free ports of this machine: run.sh --log nats|etcd --folder DIR
# It builds what is not built, stays in the foreground, and ends all of them with Ctrl+C or a SIGTERM.
set -e
here=$(cd "$(dirname "$0")" && pwd)
configuration=${VORON_CONFIGURATION:-Release}
program=$here/bin/$configuration/net10.0/Voron.Samples.Cluster.dll
sources="$here $here/../Server $here/../../src"
# shellcheck disable=SC2086
if [ ! -f "$program" ] || [ -n "$(find $sources -name obj -prune -o -name bin -prune -o \
    \( -name '*.cs' -o -name '*.html' -o -name '*.csproj' \) -newer "$program" -print -quit)" ]; then
    dotnet build -c "$configuration" --nologo -v quiet "$here/Cluster.csproj" >&2
    touch "$program"
fi
exec dotnet "$program" "$@"
