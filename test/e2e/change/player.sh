#!/bin/sh
# Every agent of `change`, played straight and without a pause. Which one it is, the first line of its prompt says.
# How it behaves instead, the file will.NAME in the ledger says, a word in a line for each call; NAME is a role, or spec-writer.SPEC, worker.TASK.
# A file hold-NAME makes one wait until a test lets it go; what is in instead-NAME is what it writes.
set -eu

LEDGER=$HOME/../ledger
title=$(sed -n '1s/^# //p' "$SIGNALBOX_PROMPT")
change=$(sed -n 's|.*changes/\([a-z0-9-]*\)/.*|\1|p' "$SIGNALBOX_PROMPT" | head -n 1)
folder=changes/$change
role=${SIGNALBOX_JOB#*.}
role=${role%%.*}
member=$(printf '%s' "$title" | sed -n 's/^\(Task\|The spec\|Merge the spec\) \([a-z0-9.-]*\).*/\2/p')
member=${member%:}
name=$role${member:+.$member}
mkdir -p "$folder/specs" "$folder/merged" "$folder/work"

echo "$name" >>"$LEDGER/order"
if mv "$LEDGER/hold-$name" "$LEDGER/holding-$name" 2>/dev/null; then
  echo "$$" >"$LEDGER/held"
  while [ -e "$LEDGER/holding-$name" ]; do sleep 0.02; done
fi

# Whoever was killed while it waited has not said its word.
echo "$name" >>"$LEDGER/calls"
call=$(grep -cxF "$name" "$LEDGER/calls")
will=$LEDGER/will.$name
[ -e "$will" ] || will=$LEDGER/will.$role
word=$(sed -n "${call}p" "$will" 2>/dev/null || true)

instead() { # FILE
  [ -e "$LEDGER/instead-$name" ] || return 1
  cp "$LEDGER/instead-$name" "$1"
}

# VERDICT SEVERITY... of an issue each
judge() { # FILE
  set -- "$1" ${word:-APPROVED}
  file=$1 verdict=$2 issues=
  shift 2
  for severity; do
    issues="$issues${issues:+,}{\"severity\":\"$severity\",\"title\":\"It\",\"description\":\"It is not good enough.\"}"
  done
  printf '{"verdict":"%s","summary":"looked at, %s","issues":[%s]}\n' "$verdict" "$call" "$issues" >"$folder/$file"
}

spec() { # NAME WORD
  cat <<TEXT
---
id: $1
---

## Overview

What $1 does, and for whom it does that: for everybody who asks for it ($2).

## Requirements

### R1: It does it

It must.

## Acceptance Criteria

### Scenario: It

- **WHEN** somebody asks
- **THEN** it does it
TEXT
}

case $word in
silent) exit 0 ;;
die) exit 3 ;;
mcp) exec "$NODE" "$REVIEWER" ;;
# In the person's checkout, wherever it works itself.
"tamper "*)
  printf '\n<!-- Nobody has agreed to this. -->\n' >>"$HOME/../repo/$folder/${word#tamper }"
  word=
  ;;
deaf)
  exec <&-
  word=
  ;;
prose)
  printf '# Review\n\nI have looked at everything, and it is not approved.\n' >"$folder/REVIEW.md"
  echo "It is not approved. Verdict: APPROVED"
  exit 0
  ;;
template)
  printf '# Review\n\n- [ ] APPROVED\n- [ ] NEEDS_CHANGES\n- [ ] MAJOR_ISSUES\n\n## Summary\n\n(fill in)\n' >"$folder/REVIEW.md"
  exit 0
  ;;
esac

case $title in
"Propose a change"*)
  instead "$folder/proposal.md" || cat >"$folder/proposal.md" <<TEXT
---
id: $change
affected_specs:
  - { id: login, depends: [session] }
  - { id: session }
---

<proposal>

## Summary

It is different from now on, says $change.

## Why

Today it is not as it should be, and people have said so often enough.

## What Changes

- something

## Impact

None that anybody notices.

</proposal>
TEXT
  ;;
"The spec "*) instead "$folder/specs/$member.md" || spec "$member" "$change" >"$folder/specs/$member.md" ;;
"The tasks of the change"*)
  instead "$folder/tasks.md" || cat >"$folder/tasks.md" <<TEXT
---
id: $change
change_id: $change
---

## 1. Data Layer

- [ ] 1.1 Keep it
  - File: src/$change-1.txt (CREATE)
  - Spec: session#R1

## 2. Testing Layer

- [ ] 2.1 Test it
  - File: src/$change-2.txt (CREATE)
  - Spec: login#R1
  - Depends: 1.1
TEXT
  ;;
"Challenge the plan"*) judge challenge.json ;;
"Revise the plan"*) spec login "$change, revised $call" >"$folder/specs/login.md" ;;
"Task "*)
  mkdir -p src
  echo "work $member" >"src/$change-${member%%.*}.txt"
  printf '{"taskId":"%s","status":"completed","summary":"done","filesModified":["src/%s-%s.txt"]}\n' "$member" "$change" "${member%%.*}" >"$folder/work/$SIGNALBOX_RUN.json"
  ;;
"Review the change"*) judge review.json ;;
"Fix the findings in"*) echo "mended $call" >>"src/$change-1.txt" ;;
"Merge the spec "*) { cat "specs/$member.md" 2>/dev/null | sed -n 's/^\(What .*\)/\1/p' >"$LEDGER/main-$member"; spec "$member" "$change"; cat "$LEDGER/main-$member"; } >"$folder/merged/$member.md" ;;
"Review the merged specs"*) judge merge-review.json ;;
*)
  echo "nobody here knows how to: $title" >&2
  exit 1
  ;;
esac
