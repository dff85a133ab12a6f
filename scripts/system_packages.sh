#!/bin/sh
# Makes sure the shared libraries that Qt, OpenGL and the virtual screen need are there.
set -eu

PACKAGES="libegl1 libgl1 libgl1-mesa-dri libglib2.0-0 libdbus-1-3 libfontconfig1 libxkbcommon0 libxkbcommon-x11-0
libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0 libxcb-shape0
libxcb-xinerama0 libxcb-xkb1 xvfb xauth fonts-dejavu-core python3-venv"

command -v dpkg-query >/dev/null 2>&1 || exit 0    # not Debian or Ubuntu: Qt's own message names what is missing

missing=""
for package in $PACKAGES; do
    state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    case "$package:$state" in
        *:installed) ;;
        python3-venv:*) python3 -c 'import ensurepip' 2>/dev/null || missing="$missing $package" ;;
        libglib2.0-0:*) dpkg-query -W libglib2.0-0t64 >/dev/null 2>&1 || missing="$missing $package" ;;
        *) missing="$missing $package" ;;
    esac
done
[ -z "$missing" ] && exit 0

if [ "$(id -u)" = 0 ]; then
    echo "Installing system packages:$missing"
    apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
else
    echo "These system packages are missing; install them with:"
    echo "  sudo apt-get install$missing"
fi
