# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Shared by the scripts that build and use the ThreadSanitizer libraries; to be
# sourced by bash.

# The version of the source package that installed package $1 was built from.
source_version () {
  dpkg-query -W -f '${source:Version}' "$1"
}

# Where the libraries of the given source packages belong: one folder for each
# combination of compiler and versions, so that an upgrade builds anew.
tsan_prefix () {
  local cache=${HOLOFLOW_TSAN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/holoflow-tsan}
  local cc=${CC:-gcc} name source
  name=$(basename "$cc")-$("$cc" -dumpversion)
  for source in "$@"; do
    name+="_$source-$(source_version "${package_of[$source]}")"
  done
  printf '%s/%s\n' "$cache" "$(tr -c 'A-Za-z0-9._+\n-' '_' <<<"$name")"
}

# Old sanitizer runtimes refuse to start where the kernel randomises addresses
# with more than 28 bits; without randomisation they work everywhere.
TSAN_RUN=
if [ "$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 28)" -gt 28 ] &&
   setarch "$(uname -m)" -R true 2>/dev/null; then
  TSAN_RUN="setarch $(uname -m) -R"
fi
