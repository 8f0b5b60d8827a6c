#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later

usage () {
  cat <<'END'
Usage: docs/examples/demo.sh [OPTION]... [HOLOGRAM]

Reconstructs the amplitude of an off-axis hologram with the graph off-axis.json inside a GStreamer
pipeline. HOLOGRAM is a picture (PNG, JPEG, TIFF, BMP or PGM); without it the demo simulates one.
What is missing on a Debian or Ubuntu machine is installed, and the project is built, first.

  --center Y,X    row and column of the +1 order in the hologram's spectrum (332,332)
  --radius R      radius of the +1 order, at least 4 (128)
  --output DIR    folder for the pictures (BUILD/pictures)
  --build DIR     build folder (build-demo beside the sources)
  --no-install    install nothing
  --help          this text
END
}

set -u

say () { printf 'demo: %s\n' "$*"; }
die () { printf 'demo: %s\n' "$*" >&2; exit 1; }
misuse () { printf 'demo: %s; --help shows how it is used\n' "$*" >&2; exit 2; }

examples=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || die "cannot enter the folder of $0"
root=$(CDPATH='' cd -- "$examples/../.." && pwd) || die "cannot enter the folder above $examples"

# --- what is asked for ---

build=$root/build-demo
output=
hologram=
center=
radius=
install=yes

is_integer () {
  case ${1#-} in '' | *[!0-9]* | ????????*) return 1 ;; esac
}

while [ $# -gt 0 ]; do
  case $1 in
    --help) usage; exit 0 ;;
    --no-install) install=no ;;
    --center | --radius | --output | --build)
      if [ $# -lt 2 ] || [ -z "$2" ]; then misuse "$1 needs a value"; fi
      case $1 in
        --center) center=$2 ;;
        --radius) radius=$2 ;;
        --output) output=$2 ;;
        --build) build=$2 ;;
      esac
      shift ;;
    --*) misuse "unknown option $1" ;;
    *)
      [ -z "$hologram" ] || misuse "one hologram at a time, but there are $hologram and $1"
      [ -n "$1" ] || misuse "the name of the hologram is empty"
      hologram=$1 ;;
  esac
  shift
done

if [ -n "$center" ]; then
  center_y=${center%%,*}
  center_x=${center#*,}
  if [ "$center" = "$center_x" ] || ! is_integer "$center_y" || ! is_integer "$center_x"; then
    misuse "--center needs two integers with a comma between, such as 332,332, not $center"
  fi
fi
if [ -n "$radius" ]; then
  if ! is_integer "$radius" || [ "$radius" -lt 4 ]; then
    misuse "--radius needs an integer of at least 4, not $radius"
  fi
fi

# --- the hologram given: is it one, and what decodes it? ---

# Sets `decoder` from the first bytes, as names may lie.
choose_decoder () {
  bytes=$(od -An -v -tx1 -N8 -- "$1" | tr -d ' \n')
  case $bytes in
    89504e470d0a1a0a) decoder=pngdec ;;
    ffd8ff*) decoder=jpegdec ;;
    49492a00* | 4d4d002a*) decoder=gdkpixbufdec ;;
    424d*) decoder=gdkpixbufdec ;;
    5035*) decoder=gdkpixbufdec ;;
    *) die "$1 is not a picture that this demo reads (PNG, JPEG, TIFF, BMP, PGM); it begins with $bytes" ;;
  esac
}

if [ -n "$hologram" ]; then
  [ -e "$hologram" ] || die "there is no file $hologram"
  [ ! -d "$hologram" ] || die "$hologram is a folder; name a picture in it"
  [ -f "$hologram" ] || die "$hologram is not a regular file"
  [ -r "$hologram" ] || die "$hologram cannot be read: its permissions do not allow it"
  [ -s "$hologram" ] || die "$hologram is empty"
  choose_decoder "$hologram"
  if [ $decoder = jpegdec ] && [ "$(tail -c 2 -- "$hologram" | od -An -tx1 | tr -d ' ')" != ffd9 ]; then
    say "$hologram does not end as a JPEG picture does; its lower part may be missing"
  fi
  # GStreamer reads the file from another folder perhaps, so its name must not depend on this one.
  folder=$(CDPATH='' cd -- "$(dirname -- "$hologram")" && pwd) || die "cannot enter the folder of $hologram"
  hologram=$folder/$(basename -- "$hologram")
else
  decoder=pngdec
fi

# --- what is needed ---

if [ $install = yes ]; then
  say "installing what is missing"
  "$root/tests/install-deps.sh" \
    || die "installing packages failed (see above); install them yourself and use --no-install"
fi
for tool in meson ninja gst-launch-1.0 gst-inspect-1.0; do
  command -v $tool > /dev/null || die "$tool is not installed; run without --no-install, or install it"
done

# Runs a command whose output matters only if it fails.
quietly () {
  what=$1
  shift
  "$@" > "$log" 2>&1 && return
  tail -n 40 "$log" >&2
  die "$what failed; the end of its output is above, all of it is in $log"
}

mkdir -p -- "$build" || die "cannot make the build folder $build"
build=$(CDPATH='' cd -- "$build" && pwd) || die "cannot enter the build folder"
log=$build/demo.log
output=${output:-$build/pictures}
mkdir -p -- "$output" || die "cannot make the folder $output for the pictures"
output=$(CDPATH='' cd -- "$output" && pwd) || die "cannot enter the folder for the pictures"
[ -w "$output" ] || die "cannot write into $output; choose another folder with --output"

say "building in $build"
[ -f "$build/build.ninja" ] \
  || quietly "setting up the build" meson setup --buildtype=release -Dgst=enabled -Dcuda=disabled \
    -Dtests=false -Dbench=false "$build" "$root"
quietly "the build" meson compile -C "$build"

# --- the pipeline ---

simulated=no
if [ -z "$hologram" ]; then
  say "simulating a hologram"
  hologram=$output/hologram.png
  simulated=yes
  "$build/docs/examples/make-hologram" "$hologram" || die "the simulation failed"
fi
reconstruction=$output/reconstruction.png
[ "$hologram" != "$reconstruction" ] \
  || die "$hologram is where the reconstruction goes; choose another folder with --output"
unfinished=$reconstruction.part
trap 'rm -f -- "$unfinished"' EXIT

# Settings of nodes are properties of holoflowbin: NODE::SETTING=VALUE.
set --
[ -z "$center" ] || set -- "$@" "Mask::center-y=$center_y" "Mask::center-x=$center_x"
[ -z "$radius" ] \
  || set -- "$@" "Mask::r-outer=$((radius * 3 / 4))" "Mask::s-outer=$((radius - radius * 3 / 4))"

# The environment in which GStreamer finds the plugin just built.
in_build () { meson devenv -C "$build" "$@"; }

say "reconstructing $hologram"
quietly "the pipeline" in_build gst-launch-1.0 -q \
  filesrc location="$hologram" ! $decoder ! videoconvert ! video/x-raw,format=GRAY8 \
  ! holovideototensor ! holoflowbin graph-location="$examples/off-axis.json" "$@" \
  ! holotensortovideo ! pngenc ! filesink location="$unfinished"
[ -s "$unfinished" ] || { cat "$log" >&2; die "the pipeline made no picture; is $hologram complete?"; }
mv -f -- "$unfinished" "$reconstruction" || die "cannot write $reconstruction"

if [ -s "$log" ]; then
  say "GStreamer remarked:"
  cat "$log"
fi
if [ $simulated = no ] && [ -z "$center" ]; then
  say "the graph expects the +1 order at row 332, column 332 of the spectrum; is it elsewhere, use --center"
fi
say "done; the pictures are"
printf '  hologram        %s\n  reconstruction  %s\n' "$hologram" "$reconstruction"
