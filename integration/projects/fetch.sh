#!/bin/sh
# Fetches the source trees of the projects that the whole-project tests and benchmarks use.
#
#   fetch.sh [--deps] [NAME…]      default: every project in recipes/
#
# Each recipe names a Debian source package; its upstream tarball (without Debian's patches: users
# build upstream's tree) ends in $CEGAS_PROJECTS/NAME/src. apt is used with a configuration, lists and
# cache of its own below $CEGAS_PROJECTS/apt, so it needs no root and the machine's apt stays as it is.
# Only with --deps are packages installed: those that the recipes need to configure and build.
#
# Invariant: running it again does nothing for what is there, and a failure names what is missing.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cache=${CEGAS_PROJECTS:-$(cd "$here/../.." && pwd)/target/projects}
# One release for every machine, so that the sources, and with them the truth files, are the same.
suite=bookworm
mirror=${CEGAS_DEBIAN_MIRROR:-http://deb.debian.org/debian}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
# What the harness itself runs, besides each recipe's own `needs`.
tools="bear strace make gcc pkg-config python3 time xz-utils bzip2"

die() {
    echo "fetch.sh: $*" >&2
    exit 2
}

# Read one recipe into package/needs/… variables.
recipe() {
    package='' needs='' unpack='' configure='' build=''
    [ -f "$here/recipes/$1" ] || die "no recipe '$1'; there are: $(ls "$here/recipes" | tr '\n' ' ')"
    . "$here/recipes/$1"
}

missing_packages() {
    for name in "$@"; do recipe "$name"; echo $tools $needs; done | tr ' ' '\n' | sort -u |
        while read -r p; do
            dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || echo "$p"
        done
}

install_deps() {
    missing=$(missing_packages "$@" | tr '\n' ' ')
    [ -n "$missing" ] || return 0
    command -v apt-get >/dev/null || die "apt-get is not here; install by hand: $missing"
    if [ "$(id -u)" = 0 ]; then sudo=; elif sudo -n true 2>/dev/null; then sudo=sudo; else
        die "not root and no sudo; ask someone who is to run: apt-get install $missing"
    fi
    $sudo apt-get update -q >/dev/null || true
    DEBIAN_FRONTEND=noninteractive $sudo apt-get -o DPkg::Lock::Timeout=600 install -qy \
        --no-install-recommends $missing >&2 || die "apt-get could not install: $missing"
}

# The private apt: one deb-src line, own lists and archives.
private_apt() {
    command -v apt-get >/dev/null ||
        die "apt-get is not here; unpack the upstream tarballs by hand into $cache/NAME/src"
    [ -f "$keyring" ] || die "$keyring is not here; install the package debian-archive-keyring"
    mkdir -p "$cache/apt/lists/partial" "$cache/apt/archives/partial" "$cache/packages"
    echo "deb-src [signed-by=$keyring] $mirror $suite main" >"$cache/apt/sources.list"
    cat >"$cache/apt/apt.conf" <<EOF
Dir::Etc::SourceList "$cache/apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State::Lists "$cache/apt/lists";
Dir::Cache "$cache/apt";
Dir::Cache::archives "$cache/apt/archives";
APT::Sandbox::User "";
EOF
    export APT_CONFIG="$cache/apt/apt.conf"
    ls "$cache"/apt/lists/*Sources* >/dev/null 2>&1 || apt-get update -q >&2 ||
        die "apt-get update failed for $mirror; set CEGAS_DEBIAN_MIRROR to one you can reach"
}

fetch() {
    recipe "$1"
    [ -d "$cache/$1/src" ] && return 0
    # A tarball kept from another recipe of the same package is good enough.
    tarball=$(ls "$cache/packages/$package"_*.orig.tar.* 2>/dev/null | grep -v '\.asc$' | head -n 1)
    if [ -z "$tarball" ]; then
        [ -n "${APT_CONFIG:-}" ] || private_apt
        (cd "$cache/packages" && apt-get source -q --download-only --only-source "$package" >&2) ||
            die "could not download the source package $package"
        tarball=$(ls "$cache/packages/$package"_*.orig.tar.* | grep -v '\.asc$' | head -n 1)
    fi
    rm -rf "$cache/$1/unpacking"
    mkdir -p "$cache/$1/unpacking"
    tar -xf "$tarball" -C "$cache/$1/unpacking" --strip-components=1 || die "cannot unpack $tarball"
    if [ -n "$unpack" ]; then
        (cd "$cache/$1/unpacking" && sh -eu -c "$unpack") >"$cache/$1/unpack.log" 2>&1 ||
            die "recipe $1: its unpack step failed; see $cache/$1/unpack.log"
    fi
    basename "$tarball" >"$cache/$1/version"
    mv "$cache/$1/unpacking" "$cache/$1/src"
    echo "fetched $1 ($(cat "$cache/$1/version"))"
}

deps=no
if [ "${1:-}" = --deps ]; then deps=yes; shift; fi
[ $# -gt 0 ] || set -- $(ls "$here/recipes")
if [ $deps = yes ]; then
    install_deps "$@"
else
    missing=$(missing_packages "$@" | tr '\n' ' ')
    [ -z "$missing" ] || echo "fetch.sh: not installed, and needed to build: $missing(fetch.sh --deps installs them)" >&2
fi
for name in "$@"; do fetch "$name"; done
