#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Builds GLib, json-glib and GStreamer with ThreadSanitizer, once, into a
# cache folder, and prints that folder as the last line of standard output.
#
# GLib's mutexes and conditions are futexes of its own.  ThreadSanitizer sees
# their atomics only in code that it compiled: with the distribution's GLib,
# correct programs are reported.  So the libraries are built again from the
# distribution's own sources, in exactly the versions that are installed, and
# nothing needs to be suppressed.
#
# What is built: GLib (with GIO, GObject and GModule), json-glib, the GStreamer
# core with its base and check libraries, and the libraries of gst-plugins-base
# with the few plug-ins that boundary tests use (app, videotestsrc,
# videoconvertscale).
#
# Usage: tests/tsan/build-deps.sh [--core-only]
#   --core-only   leave GStreamer out
#
# Environment:
#   HOLOFLOW_TSAN_CACHE   where to keep the result
#                         (default: ${XDG_CACHE_HOME:-~/.cache}/holoflow-tsan)
#   CC                    compiler (default: gcc); it must also build the tests

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/tsan/env.sh
. "$here/env.sh"

with_gst=yes
for arg in "$@"; do
  case $arg in
    --core-only) with_gst=no ;;
    -h | --help) sed -n '5,/^$/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) echo "build-deps.sh: unknown option '$arg' (see --help)" >&2; exit 2 ;;
  esac
done

say () { printf 'tsan deps: %s\n' "$*" >&2; }
die () { say "$*"; exit 1; }

# --- what to build ---------------------------------------------------------

# The development package whose installed version decides what is fetched.
declare -A package_of=(
  [glib2.0]=libglib2.0-dev
  [json-glib]=libjson-glib-dev
  [gstreamer1.0]=libgstreamer1.0-dev
  [gst-plugins-base1.0]=libgstreamer-plugins-base1.0-dev
)
sources=(glib2.0 json-glib)
[ $with_gst = no ] || sources+=(gstreamer1.0 gst-plugins-base1.0)

# Without these nothing can be said.  The others use no synchronisation of their
# own, and may come from the distribution where their sources are not served.
needed="glib2.0 gstreamer1.0"

# Options that do not exist in the version at hand are left out, see
# known_options().
declare -A options_of=(
  [glib2.0]="tests=false installed_tests=false gtk_doc=false man=false
    documentation=false man-pages=disabled introspection=disabled
    selinux=disabled libmount=disabled sysprof=disabled xattr=false
    nls=disabled libelf=disabled glib_debug=disabled"
  [json-glib]="introspection=disabled gtk_doc=disabled documentation=disabled
    man=false tests=false nls=disabled conformance=false
    installed_tests=false"
  # its checks read reference counts beside the atomics that change them
  [gstreamer1.0]="auto_features=disabled check=enabled coretracers=enabled
    gst_debug=true gst_parse=true registry=true tools=enabled
    glib-checks=disabled"
  [gst-plugins-base1.0]="auto_features=disabled app=enabled
    videotestsrc=enabled videoconvertscale=enabled"
)

# --- where -----------------------------------------------------------------

missing=()
for source in "${sources[@]}"; do
  dpkg -s "${package_of[$source]}" >/dev/null 2>&1 || missing+=("${package_of[$source]}")
done
[ ${#missing[@]} -eq 0 ] || die "not installed: ${missing[*]} (run tests/install-deps.sh --tsan)"

versions=$(for source in "${sources[@]}"; do echo "$source $(source_version "${package_of[$source]}")"; done)
prefix=$(tsan_prefix "$versions")
stamp=$prefix/.complete

if [ -e "$stamp" ]; then
  say "already built: $prefix"
  echo "$prefix"
  exit 0
fi

for tool in dpkg-source meson ninja flex bison; do
  command -v $tool >/dev/null || die "$tool is missing (run tests/install-deps.sh --tsan)"
done

mkdir -p "$prefix"
exec 9>"$prefix.lock"
flock 9
if [ -e "$stamp" ]; then              # somebody else was faster
  echo "$prefix"
  exit 0
fi
work=$prefix.build
rm -rf "$work" "$prefix"
mkdir -p "$work" "$prefix"

# --- fetching --------------------------------------------------------------

# The system's list of package sources usually has no source packages, and it
# is not ours to edit: a private copy with "deb-src" lines is used instead.
apt=(-o Dir::Etc::sourcelist=/dev/null
     -o Dir::Etc::sourceparts="$work/apt/sources.list.d"
     -o Dir::State::lists="$work/apt/lists"
     -o Dir::Cache="$work/apt/cache"
     -o APT::Sandbox::User=root
     -o Acquire::Retries=3
     -q)

private_apt_sources () {
  local to=$work/apt/sources.list.d file
  mkdir -p "$to" "$work/apt/lists/partial" "$work/apt/cache/archives/partial"
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -s "$file" ] || continue
    sed -n 's/^[[:space:]]*deb[[:space:]]/deb-src /p' "$file" > "$to/$(basename "$file" .list).list"
  done
  for file in /etc/apt/sources.list.d/*.sources; do
    [ -s "$file" ] || continue
    sed 's/^Types:.*/Types: deb-src/' "$file" > "$to/$(basename "$file")"
  done
}

say "fetching the sources of ${sources[*]}"
private_apt_sources
(cd "$work" && apt-get "${apt[@]}" update >"$work/apt.log" 2>&1) ||
  { cat "$work/apt.log" >&2; die "no list of source packages: is there a network?"; }

# The exact version first; else another revision of the same upstream version
# (a security update's sources may be withdrawn while its packages are served).
versions_to_try () {
  local exact upstream
  exact=$(source_version "${package_of[$1]}")
  upstream=${exact%-*}
  { echo "$exact"
    apt-cache "${apt[@]}" showsrc "$1" 2>/dev/null | sed -n 's/^Version: //p' |
      grep -F "$upstream-" | sort -rV
  } | awk '!seen[$0]++'
}

fetch () {
  local version
  for version in $(versions_to_try "$1"); do
    (cd "$work" && apt-get "${apt[@]}" source "$1=$version" >>"$work/apt.log" 2>&1) && return 0
    say "source package $1 $version is not to be had"
  done
  return 1
}

# GLib's bit locks are inline assembly on x86, which the sanitizer cannot see
# either; without it they are the atomics of every other processor.
make_visible () {
  find "$work" -path '*/glib/gbitlock.c' -exec \
    sed -i 's/define USE_ASM_GOTO 1/undef USE_ASM_GOTO/' {} +
}

fetched=()
for source in "${sources[@]}"; do
  if fetch "$source"; then
    fetched+=("$source")
  elif [[ " $needed " == *" $source "* ]]; then
    tail -n 20 "$work/apt.log" >&2
    die "cannot go on without $source"
  else
    say "using the distribution's $source: its own memory accesses are not watched"
  fi
done

make_visible

# --- building --------------------------------------------------------------

export CC=${CC:-gcc}
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export LDFLAGS="-Wl,-rpath,$prefix/lib"
export LD_LIBRARY_PATH=$prefix/lib    # for tools that run during the build
export TSAN_OPTIONS=report_bugs=0

# Prints -Dname=value for those of the arguments that source folder $1 knows.
known_options () {
  local folder=$1 option name builtin=' auto_features '
  shift
  for option in "$@"; do
    name=${option%%=*}
    if [[ $builtin == *" $name "* ]] ||
       grep -q -s -E "option *\( *'$name'" "$folder/meson.options" "$folder/meson_options.txt"; then
      printf -- '-D%s\n' "$option"
    fi
  done
}

for source in "${fetched[@]}"; do
  folder=$(find "$work" -mindepth 1 -maxdepth 1 -type d -name "$source-*" | head -n 1)
  [ -n "$folder" ] || die "source package $source unpacked to an unexpected folder"
  began=$SECONDS
  read -r -a wanted <<<"$(tr '\n' ' ' <<<"${options_of[$source]}")"
  mapfile -t options < <(known_options "$folder" "${wanted[@]}")
  log=$work/$source.log
  $TSAN_RUN meson setup "$work/build-$source" "$folder" --prefix="$prefix" --libdir=lib \
    --wrap-mode=nofallback -Ddebug=true -Doptimization=1 -Ddefault_library=shared \
    -Db_sanitize=thread -Db_lundef=false "${options[@]}" >"$log" 2>&1 ||
    { tail -n 40 "$log" >&2; die "cannot configure $source"; }
  $TSAN_RUN ninja -C "$work/build-$source" install >>"$log" 2>&1 ||
    { grep -E 'error|FAILED' "$log" | head -n 20 >&2; tail -n 20 "$log" >&2; die "cannot build $source"; }
  say "built $source in $((SECONDS - began)) s"
done

rm -rf "$work"
printf '%s\n' "wanted:" "$versions" "built:" "${fetched[@]}" > "$stamp"
say "done in $SECONDS s: $prefix"
echo "$prefix"
