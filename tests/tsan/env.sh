# shellcheck shell=bash
# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Shared by the scripts that build and use the ThreadSanitizer libraries; to be
# sourced by bash.

# The version of the source package that installed package $1 was built from.
source_version () {
  dpkg-query -W -f '${source:Version}' "$1"
}

# Where the libraries belong: one folder for each compiler, list of versions and
# state of build-deps.sh, so that a change of any builds anew.
tsan_prefix () {
  local cc=${CC:-gcc} here key
  here=$(dirname "${BASH_SOURCE[0]}")
  cc=$(basename "$cc")-$("$cc" -dumpversion)
  key=$({ echo "$cc $1"; cat "$here/build-deps.sh"; } | sha256sum | head -c 12)
  printf '%s/%s-%s\n' "${HOLOFLOW_TSAN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/holoflow-tsan}" "$cc" "$key"
}

# Old sanitizer runtimes refuse to start where the kernel randomises addresses
# with more than 28 bits; without randomisation they work everywhere.
export TSAN_RUN=
if [ "$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 28)" -gt 28 ] &&
   setarch "$(uname -m)" -R true 2>/dev/null; then
  TSAN_RUN="setarch $(uname -m) -R"
fi
