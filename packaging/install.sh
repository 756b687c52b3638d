#!/usr/bin/env bash
# Installs nfcd from the unpacked archive of a release, on a system without a package for it; or removes it again.
# usage: install.sh [--dry-run] [--prefix FOLDER] [nfcd] [nfcd-relay] [nfcd-fido] [nfcd-web] [nfcd-desktop]
#        install.sh --uninstall [--purge] [--dry-run] [--prefix FOLDER]
# Without a name, nfcd alone is installed. A newer archive replaces an older version. What was installed is listed in
# PREFIX/lib/nfcd/manifest (PREFIX: /usr/local), where a copy of this script is, too. Configuration files that were changed are kept; the
# new one gets the ending .nfcd-new. --purge also removes those, and what was stored. --dry-run prints what would be done.
# Exit codes: 0 done, 64 usage error, 65 this is not the archive for this machine, 69 a library or systemd is missing, 73 a file
# or a package is there that this script has not installed, 74 a file could not be written, 77 this user may not install.
set -euo pipefail

PACKAGES="nfcd nfcd-relay nfcd-fido nfcd-web nfcd-desktop"
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
prefix=/usr/local
dry=
action=install
purge=
wanted=()

fail() {
    local code=$1
    shift
    printf 'install.sh: %s\n' "$@" >&2
    exit "$code"
}

usage() {
    fail 64 "usage: install.sh [--dry-run] [--prefix FOLDER] [PACKAGE …]" \
        "or:    install.sh --uninstall [--purge] [--dry-run] [--prefix FOLDER]" "packages: $PACKAGES"
}

# Runs a command that changes the system, or prints it.
change() {
    if [ -n "$dry" ]; then printf 'would run: %s\n' "$*"; else "$@"; fi
}

running_systemd() { [ -d /run/systemd/system ]; }

# The column of this system in the table of names: 2 Debian, 3 Fedora, 4 openSUSE, 5 Arch; nothing if it is not known.
column() {
    local id
    [ -r /etc/os-release ] || return 0
    for id in $(. /etc/os-release && echo "${ID:-} ${ID_LIKE:-}"); do
        case $id in
        debian | ubuntu) echo 2 && return ;;
        fedora | rhel | centos) echo 3 && return ;;
        suse | opensuse*) echo 4 && return ;;
        arch) echo 5 && return ;;
        esac
    done
}

# The package of this system that has a library or a service.
package_of() {
    local number
    number=$(column)
    [ -n "$number" ] || return 0
    awk -v what="$1" -v column="$number" '$1 == what && $column != "-" { print $column }' "$here/packaging/names"
}

# The command that installs packages here.
installing() {
    case $(column) in
    2) echo "apt install $*" ;;
    3) echo "dnf install $*" ;;
    4) echo "zypper install $*" ;;
    5) echo "pacman -S $*" ;;
    *) echo "install with your system's package manager: $*" ;;
    esac
}

check_machine() {
    local machine
    machine=$(<"$here/machine")
    [ "$(uname -m)" = "$machine" ] || fail 65 "this archive has programs for $machine, and this machine is $(uname -m)" \
        "download the archive that ends with -$(uname -m).tar.xz"
}

check_systemd() {
    local program
    for program in systemctl systemd-sysusers; do
        command -v "$program" >/dev/null || fail 69 "$program is missing: nfcd is a service of systemd" \
            "the programs in stage/bin run without it: stage/bin/nfcd --help"
    done
}

# A package of the system would own the same files, and its updates would be hidden by those of this archive.
check_packages() {
    local name
    for name in "${wanted[@]}"; do
        if dpkg-query --show --showformat='${db:Status-Abbrev}' "$name" 2>/dev/null | grep -q '^ii' ||
            rpm -q "$name" >/dev/null 2>&1 || pacman -Q "$name" >/dev/null 2>&1; then
            fail 73 "the package $name of this system is installed; remove it first, or keep it and update it"
        fi
    done
}

check_libraries() {
    local name program library found missing=() old=()
    for name in "${wanted[@]}"; do
        while read -r program; do
            found=$(ldd "$here/stage/bin/$program" 2>&1) || true
            while read -r library; do missing+=("$library"); done < <(awk '/=> not found/ { print $1 }' <<<"$found")
            while read -r library; do old+=("$library"); done < <(sed -nE "s/.*version \`([A-Z_0-9.]+)' not found.*/\1/p" <<<"$found")
        done < <(awk '$1 == "program" && $3 ~ /^bin\// { sub(/.*\//, "", $2); print $2 }' "$here/packaging/$name/files")
    done
    [ ${#old[@]} -eq 0 ] || fail 69 \
        "the C or C++ library of this system is too old, without $(printf '%s\n' "${old[@]}" | sort -u | paste -sd ' ')" \
        "nfcd runs on Debian 12, Ubuntu 22.04, Fedora 36, RHEL 9 and later systems"
    [ ${#missing[@]} -gt 0 ] || return 0
    local packages=() lines=()
    while read -r library; do
        found=$(package_of "$library")
        lines+=("the library $library is missing${found:+; the package $found has it}")
        [ -z "$found" ] || packages+=("$found")
    done < <(printf '%s\n' "${missing[@]}" | sort -u)
    [ ${#packages[@]} -eq 0 ] || lines+=("run: $(installing "$(printf '%s\n' "${packages[@]}" | sort -u | paste -sd ' ')")")
    fail 69 "${lines[@]}"
}

# Readers need pcscd; nfcd is installed without it, because simulated readers do not need it.
check_service() {
    command -v pcscd >/dev/null || [ -x /usr/sbin/pcscd ] || [ -e /usr/lib/systemd/system/pcscd.socket ] && return
    local packages
    packages=$(paste -sd ' ' < <(package_of pcscd; package_of libccid))
    echo "install.sh: pcscd, the service of readers, is not installed${packages:+; run: $(installing "$packages")}" >&2
}

is_configuration() { [[ $1 == /etc/* ]]; }

sum() { sha256sum "$1" | cut -d ' ' -f 1; }

# What the manifest says of a path: its checksum, "link TARGET", or nothing.
recorded() { [ ! -e "$manifest" ] || awk -F '\t' -v path="$1" '$2 == path { print $1 }' "$manifest"; }

# The line of a file for the manifest.
state() { if [ -L "$1" ]; then echo "link $(readlink "$1")"; else sum "$1"; fi; }

# Ends with 73 if a file is there that this script has not installed.
check_files() {
    local path strange=()
    for path in "${files[@]}"; do
        [ -e "$path" ] || [ -L "$path" ] || continue
        is_configuration "$path" || [ -n "$(recorded "$path")" ] || strange+=("$path")
    done
    [ ${#strange[@]} -eq 0 ] || fail 73 "these files are there, and were not installed by this script:" "${strange[@]}" \
        "if they are from 'make install', run 'make uninstall' there first"
}

# The folders that an installation will make, those below others last.
missing_folders() {
    local path
    for path in "${files[@]}" "$library/install.sh"; do
        path=$(dirname "$path")
        while [ ! -d "$path" ]; do
            echo "$path"
            path=$(dirname "$path")
        done
    done | LC_ALL=C sort -u
}

# Makes a file the copy of another at once, so that a full disk or a signal leaves the old one. A program that runs can be replaced, too.
replace() {
    draft=$2.nfcd-draft
    rm -f "$draft"
    if ! cp --no-dereference --preserve=mode --no-target-directory "$1" "$draft" || ! mv --force --no-target-directory "$draft" "$2"; then
        fail 74 "$2 could not be written; what was there is unchanged. Run this again, or remove what was installed: --uninstall"
    fi
}

put() {
    local path=$1 source=$root$1
    if is_configuration "$path" && [ -e "$path" ] && [ "$(sum "$path")" != "$(sum "$source")" ] &&
        [ "$(sum "$path")" != "$(recorded "$path")" ]; then
        echo "kept $path, which was changed; the new one is $path.nfcd-new"
        path=$path.nfcd-new
    fi
    [ -z "$dry" ] || { echo "would install $path" && return; }
    mkdir -p "$(dirname "$path")"
    replace "$source" "$path"
}

# Removes a file that was installed, unless it is a configuration file that was changed.
take_away() {
    local path=$1 recorded=$2
    # That of an installation that was killed.
    [ -n "$dry" ] || rm -f "$path.nfcd-draft"
    if [ ! -e "$path" ] && [ ! -L "$path" ]; then return; fi
    if is_configuration "$path" && [ -z "$purge" ] && [ "$(state "$path")" != "$recorded" ]; then
        echo "kept $path, which was changed"
        return
    fi
    [ -z "$dry" ] || { echo "would remove $path" && return; }
    rm -f "$path"
}

# Removes the new configuration files beside those that were kept.
take_away_new() {
    local path=$1.nfcd-new
    is_configuration "$1" && [ -e "$path" ] || return 0
    if [ -z "$purge" ]; then
        echo "kept $path"
    elif [ -n "$dry" ]; then
        echo "would remove $path"
    else
        rm -f "$path"
    fi
}

list_files() { find "$root" \( -type f -o -type l \) -printf '/%P\n' | LC_ALL=C sort; }

# The folders that the manifest lists, those below others last.
old_folders() { [ ! -e "$manifest" ] || awk -F '\t' '$1 == "folder" { print $2 }' "$manifest"; }

# The lines of the manifest of what is installed now.
manifest_lines() {
    local path
    for path in "${files[@]}" "$library/install.sh" "$library/packages"; do
        case $path in
        "$library"/*) printf '%s\t%s\n' "$(state "$path")" "$path" ;;
        # Of the file in the archive, so that a change of a configuration file is recognized.
        *) printf '%s\t%s\n' "$(state "$root$path")" "$path" ;;
        esac
    done
    printf 'folder\t%s\n' "${folders[@]}"
}

# The lines of the manifest while files are put in their places: what was installed before, and what is new. So an installation that was
# interrupted can be repeated, or removed.
manifest_lines_meanwhile() {
    local path
    [ ! -e "$manifest" ] || grep -v $'^folder\t' "$manifest" || true
    for path in "${files[@]}" "$library/install.sh" "$library/packages"; do
        [ -z "$(recorded "$path")" ] || continue
        case $path in
        "$library"/*) printf 'new\t%s\n' "$path" ;;
        *) printf '%s\t%s\n' "$(state "$root$path")" "$path" ;;
        esac
    done
    printf 'folder\t%s\n' "${folders[@]}"
}

write_manifest() {
    "$1" >"$manifest.new" && mv "$manifest.new" "$manifest"
}

begin_manifest() {
    mapfile -t folders < <({ old_folders; missing_folders; } | LC_ALL=C sort -u)
    mkdir -p "$library"
    write_manifest manifest_lines_meanwhile || {
        rm -f "$manifest.new"
        remove_empty "${folders[@]}"
        fail 74 "$manifest cannot be written; nothing was installed"
    }
}

remove_old() {
    local recorded path
    [ -e "$manifest" ] || return 0
    while IFS=$'\t' read -r recorded path; do
        [ "$recorded" != folder ] || continue
        case $'\n'$(printf '%s\n' "${files[@]}")$'\n' in *$'\n'"$path"$'\n'*) continue ;; esac
        [[ $path == "$library"/* ]] || take_away "$path" "$recorded"
    done <"$manifest"
}

install_all() {
    local name how=install path
    check_machine
    check_systemd
    check_packages
    check_libraries
    check_service
    # A package that was installed before is not left behind.
    if [ -e "$library/packages" ]; then
        how=upgrade
        mapfile -t wanted < <(printf '%s\n' "${wanted[@]}" "$(<"$library/packages")" | tr ' ' '\n' | awk 'NF && !seen[$0]++')
    fi
    before=$(cat "$library/packages" 2>/dev/null || true)
    temporary=$(mktemp -d)
    trap 'rm -rf "$temporary"; [ -z "$draft" ] || rm -f "$draft"' EXIT
    root=$temporary/root
    DESTDIR=$root PREFIX=$prefix STAGE=$here/stage PACKAGES="${wanted[*]}" "$here/Scripts/products/install" >/dev/null
    mapfile -t files < <(list_files)
    check_files
    [ -n "$dry" ] || begin_manifest
    for path in "${files[@]}"; do put "$path"; done
    remove_old
    if [ -z "$dry" ]; then
        printf '%s\n' "${wanted[*]}" >"$temporary/packages"
        replace "$temporary/packages" "$library/packages"
        replace "$here/install.sh" "$library/install.sh"
        write_manifest manifest_lines
    fi
    for name in "${wanted[@]}"; do
        [ -e "$here/packaging/$name/activate" ] || continue
        how=upgrade
        [[ " $before " == *" $name "* ]] || how=install
        change sh "$here/packaging/$name/activate" "$how"
    done
    [ -n "$dry" ] || report
}

report() {
    echo "nfcd $(<"$here/version") is installed in $prefix: ${wanted[*]}"
    echo "Permit users to use readers: usermod -aG nfc USER"
    echo "The first tag, when USER has logged in again: nfcctl scan"
    [[ " ${wanted[*]} " != *" nfcd-desktop "* ]] || echo "Show taps on the desktop, as USER: nfcctl desktop enable"
    [[ " ${wanted[*]} " != *" nfcd-relay "* ]] || echo "Send taps, when relay.toml says where: systemctl enable --now nfcd-relay"
    echo "Remove it again: $library/install.sh --uninstall"
}

# The units of the system that the manifest lists.
units() { awk -F '\t' '$2 ~ /\/systemd\/system\/[^\/]*\.(service|socket)$/ { sub(/.*\//, "", $2); print $2 }' "$manifest"; }

# Removes folders as far as they are empty, the last one first.
remove_empty() {
    local number path
    for ((number = $#; number > 0; number--)); do
        path=${!number}
        if [ -d "$path" ]; then rmdir --ignore-fail-on-non-empty "$path"; fi
    done
}

# Removes the manifest, and the folders that this script has made, as far as they are empty.
remove_folders() {
    local all=()
    mapfile -t all < <(old_folders)
    rm -f "$manifest"
    remove_empty "${all[@]}"
}

report_removal() {
    local name there=()
    for name in nfcd nfcd-relay nfcd-fido; do
        if getent passwd "$name" >/dev/null; then there+=("user $name"); fi
    done
    if getent group nfc >/dev/null; then there+=("group nfc"); fi
    echo "nfcd is removed.$([ ${#there[@]} -eq 0 ] || printf ' These stay, and are removed with userdel and groupdel: %s' "$(IFS=, && echo "${there[*]}" | sed 's/,/, /g')")"
}

uninstall_all() {
    local recorded path all=() running=()
    [ -e "$manifest" ] || fail 73 "there is no $manifest: nfcd is not installed there by this script, or was removed" \
        "to remove configuration that was kept: install again, then run: $library/install.sh --uninstall --purge"
    mapfile -t all < <(units)
    # What runs of a template has names.
    running=("${all[@]/@./@*.}")
    if command -v systemctl >/dev/null; then
        change systemctl --quiet --no-reload disable "${all[@]}" || true
        if running_systemd; then change systemctl stop "${running[@]}" || true; fi
    fi
    while IFS=$'\t' read -r recorded path; do
        [ "$recorded" != folder ] || continue
        take_away "$path" "$recorded"
        take_away_new "$path"
    done <"$manifest"
    if [ -n "$purge" ]; then
        change rm -rf /var/lib/nfcd /var/lib/nfcd-relay /run/nfcd /run/nfcd-relay
        # A person may have put files there.
        if [ -d /etc/nfcd ]; then change rmdir --ignore-fail-on-non-empty /etc/nfcd; fi
    fi
    if [ -z "$dry" ]; then remove_folders; fi
    if running_systemd; then
        change systemctl daemon-reload
        change systemctl reset-failed "${running[@]}" 2>/dev/null || true
        if command -v udevadm >/dev/null; then change udevadm control --reload || true; fi
    fi
    [ -n "$dry" ] || report_removal
}

while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        sed -nE '2,/^set/ s/^# ?//p' "${BASH_SOURCE[0]}"
        exit 0
        ;;
    --dry-run) dry=yes ;;
    --uninstall) action=uninstall ;;
    --purge) purge=yes ;;
    --prefix)
        [[ ${2:-} == /* ]] || usage
        prefix=${2%/}
        shift
        ;;
    *)
        [[ $1 != -* && " $PACKAGES " == *" $1 "* ]] || usage
        wanted+=("$1")
        ;;
    esac
    shift
done
[ ${#wanted[@]} -gt 0 ] || wanted=(nfcd)
[ "${wanted[0]}" = nfcd ] || wanted=(nfcd "${wanted[@]}")
mapfile -t wanted < <(printf '%s\n' "${wanted[@]}" | awk '!seen[$0]++')
# The copy that an installation leaves knows its prefix.
if [ -e "$here/manifest" ]; then prefix=${here%/lib/nfcd}; fi
library=$prefix/lib/nfcd
manifest=$library/manifest
files=()
folders=()
draft=
[ -n "$dry" ] || [ "$(id -u)" -eq 0 ] || fail 77 "only root can install; run this with sudo, or with --dry-run"
umask 022
case $action in
install)
    [ -e "$here/machine" ] || fail 65 "this folder is not the archive of a release; run install.sh of an unpacked archive"
    install_all
    ;;
uninstall) uninstall_all ;;
esac
