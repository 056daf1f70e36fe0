#!/usr/bin/env bash
# Make a dated snapshot of a directory with hard links, keep the newest N, report what changed.
set -euo pipefail

usage() {
    cat >&2 <<EOF
usage: ${0##*/} [-n KEEP] [-x PATTERN]... SOURCE TARGET

  -n KEEP      snapshots to keep (default: 14)
  -x PATTERN   leave out what matches; may be repeated
EOF
    exit 2
}

keep=14
excludes=()
while getopts ':n:x:h' flag; do
    case $flag in
        n) keep=$OPTARG ;;
        x) excludes+=("--exclude=$OPTARG") ;;
        *) usage ;;
    esac
done
shift $((OPTIND - 1))
(( $# == 2 )) || usage
[[ $keep =~ ^[1-9][0-9]*$ ]] || { echo "KEEP must be a positive number, not '$keep'" >&2; exit 2; }

source=${1%/}/
target=${2%/}
stamp=$(date -u +%Y-%m-%dT%H%M%SZ)
latest=$target/latest

exec 9>"$target/.lock"
flock -n 9 || { echo "another snapshot is running" >&2; exit 1; }

links=()
[[ -d $latest ]] && links=(--link-dest="$(readlink -f "$latest")")

rsync -a --delete --itemize-changes "${excludes[@]}" "${links[@]}" \
    "$source" "$target/$stamp.partial/" | awk '
        /^>f/    { changed++ }
        /^\*del/ { deleted++ }
        END      { printf "changed %d, deleted %d\n", changed, deleted }'

mv "$target/$stamp.partial" "$target/$stamp"
ln -sfn "$stamp" "$latest"

mapfile -t old < <(find "$target" -mindepth 1 -maxdepth 1 -type d -name '20*Z' | sort -r | tail -n +$((keep + 1)))
for dir in "${old[@]}"; do
    echo "removing ${dir##*/}"
    rm -rf -- "$dir"
done
