#!/bin/sh
# Every agent of `orchestrated` and of its tasks, played straight and without a pause. Who it is, its job and the first line of its prompt say.
# How it behaves instead, the file will.NAME in the ledger says, a line for each call; NAME is a role, or ROLE.TASK (T-001, meta, lean). Behind the
# last line it behaves well, unless that ends with a star.
#
# A line is the status of its answer and more words: severities of what it finds, fields that are true (ui, research, large, security, complex), `same` where behaviour has not changed, -FILE
# for one that it leaves out, `fail` for a failed test, `~` for a change of the work that is not its own, `extra` for a key that nobody knows, `bare` for a README that says nothing, `prose`
# for words around its answer. Alone: die, silent, garbage, empty; `gone FILE` takes a file of others away.
# A file hold-NAME makes one wait until a test lets it go; hold-NAME-CALL only that call. A file do.NAME or do.NAME.CALL is what it does besides.
set -eu

LEDGER=$HOME/../ledger
title=$(sed -n '1s/^# //p' "$SIGNALBOX_PROMPT")
role=${SIGNALBOX_JOB#*.}
role=${role%%.*}
member=$(printf '%s' "$title" | sed -n 's/.*[Tt]ask \([A-Za-z0-9-]*\)[:,].*/\1/p')
name=$role${member:+.$member}
session=$(sed -n 's|.*\.agents-work/\([A-Za-z0-9_-]*\)/.*|\1|p' "$SIGNALBOX_PROMPT" | head -n 1)
folder=.agents-work/$session
# What stands between backquotes behind these words.
named() { sed -n "s/.*$1 \`\([^\`]*\)\`.*/\1/p" "$SIGNALBOX_PROMPT" | head -n 1; }
output=$(named 'one file,')

echo "$name" >>"$LEDGER/order"
call=$(($(grep -cxF "$name" "$LEDGER/calls" 2>/dev/null || true) + 1))
if mv "$LEDGER/hold-$name" "$LEDGER/holding-$name" 2>/dev/null || mv "$LEDGER/hold-$name-$call" "$LEDGER/holding-$name" 2>/dev/null; then
  echo "$$" >"$LEDGER/held"
  while [ -e "$LEDGER/holding-$name" ]; do sleep 0.02; done
fi

# Whoever was killed while it waited has not said its word.
echo "$name" >>"$LEDGER/calls"
cp "$SIGNALBOX_PROMPT" "$LEDGER/prompt.$name.$call"
input=$(named 'data file')
[ ! -e "$input" ] || cp "$input" "$LEDGER/input.$name.$call"
# What the session says of itself as this one begins, and the task: all of it is looked at in the end.
[ ! -e "$folder/status.json" ] || cp "$folder/status.json" "$LEDGER/status.Session.$name.$call"
[ -z "$member" ] || [ ! -e "$(dirname "$output")/status.json" ] || cp "$(dirname "$output")/status.json" "$LEDGER/status.Task.$name.$call"
will=$LEDGER/will.$name
[ -e "$will" ] || will=$LEDGER/will.$role
words=
if [ -e "$will" ]; then
  words=$(sed -n "${call}p" "$will")
  [ -n "$words" ] || words=$(sed -n '$s/\*$/*/p' "$will" | grep '\*$' || true)
  words=${words%'*'}
fi
words=${words:-OK}
status=${words%% *}
has() { case " $words " in *" $1 "*) return 0 ;; *) return 1 ;; esac; }
is() { if has "$1"; then echo true; else echo false; fi; }

# One thing for each severity that it is told, by a pattern.
found() { # PATTERN
  first=1
  for severity in nit minor major blocker low medium high critical; do
    for word in $words; do
      [ "$word" = "$severity" ] || continue
      [ "$first" = 1 ] || printf ,
      printf "$1" "$severity" "$first"
      first=$((first + 1))
    done
  done
}

NONE="{}"

# Its answer: what every one has, and what its role adds.
answer() { # ARTIFACTS MORE
  ! has prose || printf 'Here it is:\n\n'
  # Nobody obeys what it says of gates and of who is next.
  printf '{"status":"%s","summary":"%s, %s","artifacts":%s' "$status" "$name" "$call" "${1:-$NONE}"
  printf ',"gates":{"meets_definition_of_done":true,"needs_review":false,"needs_tests":false,"security_concerns":[]}'
  printf ',"next":{"recommended_agent":"Docs","recommended_task_id":"meta","reason":"all is done"}'
  printf ',"assumptions":["%s assumes"],"known_issues":["%s knows"]' "$name" "$name"
  ! has extra || printf ',"surprise":true'
  printf '%s}\n' "${2:+,$2}"
}

# A text of its own, unless it leaves it out or a test has another one.
text() { # FILE < TEXT
  has "-$1" && return
  mkdir -p "$folder/$(dirname "$1")"
  if [ -e "$LEDGER/instead/$1" ]; then cp "$LEDGER/instead/$1" "$folder/$1"; else cat >"$folder/$1"; fi
}

for deed in "$LEDGER/do.$name" "$LEDGER/do.$name.$call"; do
  [ ! -e "$deed" ] || . "$deed"
done

case $status in
die) exit 3 ;;
silent) exit 0 ;;
garbage)
  echo "OK, all is well." >"$output"
  exit 0
  ;;
empty)
  : >"$output"
  exit 0
  ;;
gone)
  rm "$folder/${words#gone }"
  status=OK
  ;;
esac

report='"what_was_done":"All of it.","how_to_run":"sh it.sh","how_to_test":"sh check.sh","commitMessage":"Do it"'
judged="\"behaviour_changed\":$(has same && echo false || echo true),\"security_relevant\":$(is security),\"complexity_found\":$(is complex)"
checklist='"checklist_summary":{"security":"OK","architecture":"OK","logic":"OK","performance":"OK","quality":"OK","devils_advocate":"OK"}'
failed=$(has fail && echo 1 || echo 0)

case $title in
"Write the specification"*)
  printf '## Goals\n\nIt, %s.\n\n## Acceptance Criteria\n\n- it\n\n## Definition of Done\n\n- it\n' "$call" | text spec.md
  printf '{"acceptance_criteria":[{"id":"AC-001","description":"It works, %s","verify":["cmd: sh check.sh","manual: it looks well"]}]}\n' "$call" | text acceptance.json
  answer "" "\"ui\":$(is ui),\"needs_research\":$(is research),\"research_question\":\"How?\"" >"$output"
  ;;
"Write a short specification"*)
  printf '## Goal\n\nIt, %s.\n\n## Acceptance Criteria\n\n- it\n' "$call" | text spec.md
  printf '{"acceptance_criteria":[{"id":"AC-001","description":"It works, %s","verify":["cmd: sh check.sh"]}]}\n' "$call" | text acceptance.json
  answer "" '"ui":false,"needs_research":false' >"$output"
  ;;
"Find out"*)
  echo "It is so, $call." | text research/research.md
  answer '{"research_summary":"so","confidence":"high"}' "" >"$output"
  ;;
"Design the architecture"*)
  printf '## Overview\n\nIt, %s.\n\n## Modules\n\n- it\n\n## Risks\n\n- few\n' "$call" | text architecture.md
  printf '## Context\n\nIt.\n\n## Decision\n\nSo, %s.\n' "$call" | text adr/ADR-001.md
  answer >"$output"
  ;;
"Design the user interface"*)
  echo "A button, $call." | text design-specs/design-spec.md
  answer '{"design_spec_file":"design-spec.md"}' "" >"$output"
  ;;
"Plan the work"*)
  text tasks.yaml <<TEXT
project: { name: "It, $call", definition_of_done: [it works] }
tasks:
  - { id: T-001, status: not-started, type: feat, title: The first, goal: It is there, depends_on: [], files_expected: [work-1.txt], acceptance_checks: ["cmd: test -e work-1.txt"], done_when: [it is there], complexity: easy, needs_qa: true, needs_security: true }
  - { id: T-002, status: not-started, type: docs, title: The second, goal: That one as well, depends_on: [T-001], files_expected: [work-2.txt], acceptance_checks: ["cmd: test -e work-2.txt"], done_when: [it is there], complexity: easy, needs_qa: false, needs_security: false }
TEXT
  answer "" "\"large\":$(is large)" >"$output"
  ;;
"Make a small change"*)
  echo "lean $call" >lean.txt
  answer "" "$judged,$report" >"$output"
  ;;
"Task "*)
  echo "$member $call" >"work-${member##*[-0]}.txt"
  answer "" "$judged" >"$output"
  ;;
"Fix the failing checks"*)
  echo "mended $call" >mended.txt
  answer "" "$judged,$report" >"$output"
  ;;
"Review task"*) answer "{\"review_comments\":[$(found '{"severity":"%s","category":"Logic","file":"work-1.txt","message":"It is wrong, %s"}')],$checklist}" "" >"$output" ;;
"Test task"*) answer "{\"test_results\":{\"total\":3,\"passed\":$((3 - failed)),\"failed\":$failed,\"skipped\":0},\"findings\":[$(found '{"severity":"%s","description":"It fails, %s"}')]}" "" >"$output" ;;
"Audit task"*) answer "{\"findings\":[$(found '{"severity":"%s","id":"sec-%s","category":"Auth","file":"work-1.txt","description":"It is open","recommended_fix":"Close it"}')]}" "" >"$output" ;;
"Integrate and build"*)
  # No part of the work, whoever writes it.
  echo "It builds, $call." | text notes/builds.md
  answer '{"ci_notes":["it builds"]}' "" >"$output"
  ;;
"Write the documentation"*)
  echo "There is more, $call." >README.md
  # A page on which nobody sees anything.
  ! has bare || printf ' \342\200\213\n' >README.md
  answer "" "\"readme\":\"updated\",$report" >"$output"
  ;;
"Write the release notes"*) echo "Something is new, $call." | text release-notes.md ;;
*)
  echo "nobody here knows how to: $title" >&2
  exit 1
  ;;
esac
! has prose || printf '\nThat is all.\n' >>"$output"
! has '~' || echo "changed $name $call" >>work-1.txt
