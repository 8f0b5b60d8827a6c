#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Installs the Debian or Ubuntu packages that building and testing needs.
# When all of them are there it does nothing and needs neither root nor network.
#
# Usage: tests/install-deps.sh [--sanitizers] [--tsan] [--format] [--check]
#   --sanitizers  also clang with its runtimes, for the fuzzers
#   --format      also clang-format 14, for tests/format.sh
#   --tsan        also what tests/tsan/build-deps.sh needs
#   --check       install nothing; name what is missing, exit 1 if anything is

set -euo pipefail

packages=(
  meson ninja-build pkg-config gcc g++ libc6-dev python3
  libglib2.0-dev libjson-glib-dev
  libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev
  gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good
  gstreamer1.0-plugins-bad gstreamer1.0-plugins-ugly
  libfftw3-dev
)
# Each adds something where the distribution has it: GStreamer's CUDA library,
# introspection data, a validator for the test of the JSON Schema.
optional=(libgstreamer-plugins-bad1.0-dev gobject-introspection libgirepository1.0-dev python3-gi python3-jsonschema)

min_meson=1.0
min_glib=2.74

say () { printf 'install-deps: %s\n' "$*"; }
die () { printf 'install-deps: %s\n' "$*" >&2; exit 1; }

check=no
for arg in "$@"; do
  case $arg in
    --sanitizers) packages+=(clang) optional+=(libclang-rt-dev) ;;
    --format) packages+=(clang-format-14) ;;
    --tsan) packages+=(dpkg-dev flex bison) ;;
    --check) check=yes ;;
    -h | --help) sed -n '5,/^$/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) printf "install-deps: unknown option '%s' (see --help)\n" "$arg" >&2; exit 2 ;;
  esac
done

# --- what is missing -------------------------------------------------------

is_installed () {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# TRUE if dotted version $1 is at least $2.
at_least () {
  [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]
}

# A meson that is new enough counts, wherever it comes from.
have_meson () {
  command -v meson >/dev/null && at_least "$(meson --version)" $min_meson
}

missing_of () {
  local package
  for package in "$@"; do
    [ "$package" = meson ] && have_meson && continue
    # newer releases have pkgconf in its place
    [ "$package" = pkg-config ] && command -v pkg-config >/dev/null && continue
    is_installed "$package" || printf '%s\n' "$package"
  done
}

command -v dpkg-query >/dev/null ||
  die "this is no Debian or Ubuntu system; install by hand what corresponds to: ${packages[*]}"

candidate () {
  apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: //p' | grep -v '(none)' || true
}

mapfile -t missing < <(missing_of "${packages[@]}")
have_all=no
if [ ${#missing[@]} -eq 0 ] && have_meson; then
  have_all=yes
fi
if [ $check = yes ]; then
  [ $have_all = no ] || { say "everything needed is installed"; exit 0; }
  say "missing: ${missing[*]:-meson >= $min_meson}"
  exit 1
fi

# Optional packages that the package lists at hand know.
wanted_extras () {
  local package
  for package in $(missing_of "${optional[@]}"); do
    [ -z "$(candidate "$package")" ] || printf '%s\n' "$package"
  done
}

mapfile -t extras < <(wanted_extras)
if [ $have_all = yes ] && [ ${#extras[@]} -eq 0 ]; then
  say "everything needed is installed"
  exit 0
fi

# --- installing ------------------------------------------------------------

root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    [ $have_all = no ] || exit 0
    die "needs root to install ${missing[*]}: run it as root, or install sudo"
  fi
  root=(sudo)
fi
apt_get () {
  ${root[@]+"${root[@]}"} env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y -o Dpkg::Use-Pty=0 -o Acquire::Retries=3 "$@"
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Says why apt-get failed, as far as its output tells, and ends.
die_of_apt () {
  if grep -q -E 'resolv|Could not connect|Network is unreachable|timed out' "$log"; then
    die "$* could not be fetched: no network? ($(grep -m 1 -E '^(Err|E|W):' "$log"))"
  fi
  tail -n 20 "$log" >&2
  die "$* could not be installed (apt-get's last words are above)"
}

say "installing: ${missing[*]} ${extras[*]}"
apt_get update >"$log" 2>&1 || true      # one bad list must not stop us
for package in "${missing[@]}"; do
  [ -n "$(candidate "$package")" ] && continue
  if grep -q -E '^(Err|E|W):' "$log"; then
    die_of_apt "the package lists (for $package)"
  fi
  die "this release has no package '$package'"
done

glib=$(candidate libglib2.0-dev)
glib=${glib#*:}
at_least "${glib%%-*}" $min_glib ||
  die "this release has GLib ${glib%%-*}; GLib $min_glib is needed (Debian 12, Ubuntu 24.04 or newer)"

if [ ${#missing[@]} -gt 0 ] &&
   ! apt_get install --no-install-recommends "${missing[@]}" >"$log" 2>&1; then
  die_of_apt "${missing[*]}"
fi

mapfile -t extras < <(wanted_extras)     # the lists are new now
if [ ${#extras[@]} -gt 0 ] &&
   ! apt_get install --no-install-recommends "${extras[@]}" >"$log" 2>&1; then
  say "could not install the optional ${extras[*]}; going on without"
fi

install_meson_by_pip () {
  apt_get install --no-install-recommends python3-pip &&
    ${root[@]+"${root[@]}"} python3 -m pip install -q "meson>=$min_meson"
}

if ! have_meson; then
  say "the packaged meson is older than $min_meson; fetching a newer one with pip"
  if ! install_meson_by_pip >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    die "meson >= $min_meson is needed: pip install 'meson>=$min_meson'"
  fi
  hash -r
  have_meson || die "meson >= $min_meson was installed but is not on PATH"
fi
say "done"
