#!/bin/sh
# pages.sh SIMULATOR FOLDER: writes FOLDER/man1/*.1, a page for each of the simulator's help, and completion of commands,
# kernels, machines, reports, options and the words that these choose from: FOLDER/amalgam.bash for bash, FOLDER/_amalgam for
# zsh.
# SPDX-License-Identifier: Apache-2.0
set -eu
sim=$1 out=$2
rm -rf "$out"
mkdir -p "$out/man1"
version=$("$sim" --version | cut -d' ' -f2)

# The rows of a section: what stands at two columns.
rows() { awk -v name="$1" '/^[A-Z]/ { in_it = $0 == name; next } in_it && /^  [^ ]/ { print $1 }'; }

# Headings become headings; what is below them keeps its lines.
roff() {   # roff NAME <HELP
  echo ".TH $(echo "$1" | tr a-z A-Z) 1 \"\" \"amalgam $version\""
  sed 's/\\/\\e/g; s/-/\\-/g' | awk -v name="$1" '
    /^[A-Z]/ { if (filled) print ".fi"; print ".SH " $0; filled = $0 != "NAME"; if (filled) print ".nf"; first = !filled; next }
    first { sub(/^  amalgam[^\\]*\\-/, name " \\-"); first = 0 }
    !filled { sub(/^ +/, "") }
    { if (/^[.\047]/) printf "\\&"; print }
    END { if (filled) print ".fi" }'
}

"$sim" help >"$out/overview"
roff amalgam <"$out/overview" >"$out/man1/amalgam.1"
kernels=$(rows KERNELS <"$out/overview")
commands=$(rows COMMANDS <"$out/overview")
options=
page() {   # page NAME WORDS...
  name=$1
  shift
  "$sim" help "$@" >"$out/page"
  cat "$out/page" >>"$out/all"
  roff "amalgam-$name" <"$out/page" >"$out/man1/amalgam-$name.1"
  words=$(rows OPTIONS <"$out/page" | grep '^--' | tr '\n' ' ')
  [ -z "$words" ] || options="$options    '$*') options='$words' ;;
"
}
for command in $commands; do
  case $command in
    help) ;;
    run) for kernel in $kernels; do page "run-$kernel" run "$kernel"; done ;;
    *) page "$command" "$command" ;;
  esac
done
# OPTION WORD|WORD: what it chooses from; of two commands that have such an option, both.
choices=$(awk '/^  --/ && $2 ~ /^[a-z0-9]+([|][a-z0-9]+)+$/ {
    count = split($2, word, "|")
    for (i = 1; i <= count; ++i) if (!seen[$1, word[i]]++) words[$1] = words[$1] " " word[i]
  } END { for (option in words) print "    " option ") words=\047" substr(words[option], 2) "\047 ;;" }' "$out/all" | sort)
configs=$("$sim" list configs | awk '{ print $1 }' | tr '\n' ' ')
reports=$("$sim" report | awk '/^  / { print $1 }' | tr '\n' ' ')

cat >"$out/amalgam.bash" <<SCRIPT
# Completion of amalgam for bash, generated from its help.
_amalgam() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]} options= words=
  if [ "\$command" = run ]; then command="run \${COMP_WORDS[2]}"; fi
  case \$command in
$options  esac
  case \$before in
    --config) words='$configs' ;;
$choices
  esac
  if [ -z "\$words" ]; then
    case \$COMP_CWORD:\$command in
      1:*) words='$(echo $commands)' ;;
      2:run*) words='$(echo $kernels)' ;;
      2:help) words='$(echo $commands)' ;;
      3:help) words='$(echo $kernels)' ;;
      *:report) words="all $reports\$options" ;;
      *:list) words="kernels configs reports studies" ;;
      *) words=\$options ;;
    esac
  fi
  COMPREPLY=(\$(compgen -W "\$words" -- "\$word"))
}
complete -o default -F _amalgam amalgam ./amalgam
SCRIPT

cat >"$out/_amalgam" <<SCRIPT
#compdef amalgam
# Completion of amalgam for zsh, generated from its help.
_amalgam_words() {
  local before=\$words[CURRENT-1] command=\$words[2] known= choices=
  if [[ \$command == run ]]; then command="run \$words[3]"; fi
  case \$command in
$(echo "$options" | sed 's/options=/known=/')
  esac
  case \$before in
    --config) choices='$configs' ;;
$(echo "$choices" | sed 's/words=/choices=/')
  esac
  if [[ -z \$choices ]]; then
    case \$((CURRENT - 1)):\$command in
      1:*) choices='$(echo $commands)' ;;
      2:run*) choices='$(echo $kernels)' ;;
      2:help) choices='$(echo $commands)' ;;
      3:help) choices='$(echo $kernels)' ;;
      *:report) choices="all $reports\$known" ;;
      *:list) choices="kernels configs reports studies" ;;
      *) choices=\$known ;;
    esac
  fi
  reply=(\${=choices})
}
_amalgam() {
  local -a reply
  _amalgam_words
  compadd -- \$reply
  [[ \$words[CURRENT] == -* ]] || _files
}
if [[ \$funcstack[1] == _amalgam ]]; then _amalgam "\$@"; fi
SCRIPT
rm -f "$out/overview" "$out/page" "$out/all"
