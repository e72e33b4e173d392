#!/bin/sh
# Every agent that plans a change, each of which does its part at once: BENCH_FOLDER says where it notes from when to when.
# Which one it is, the first line of its prompt says.
set -eu

stamp=$BENCH_FOLDER/stamps/$$
from=$(date +%s%N)
trap 'echo "$from $(date +%s%N) ${title:-check}" >"$stamp"' EXIT

change=changes/more
mkdir -p "$change/specs"
read -r title <"$SIGNALBOX_PROMPT"
title=${title#\# }

case $title in
"Propose a change"*)
  cat >"$change/proposal.md" <<'TEXT'
---
id: more
affected_specs:
  - { id: fifth, depends: [fourth] }
  - { id: fourth, depends: [third] }
  - { id: third, depends: [second] }
  - { id: second, depends: [first] }
  - { id: first }
---

## Summary

There are more files.

## Why

The files that there are do not say all that there is to say, and people have asked for more of them.

## What Changes

- five files are new

## Impact

Nobody who reads the old ones notices anything.
TEXT
  ;;
"The spec "*)
  name=${title#The spec }
  name=${name%% *}
  printf -- '---\nid: %s\n---\n\n## Overview\n\nThe %s file is there for whoever looks for it, with one line in it and nothing else.\n\n## Requirements\n\n### R1: A line\n\nIt has a line.\n\n## Acceptance Criteria\n\n### Scenario: Somebody looks\n\n- **WHEN** somebody reads it\n- **THEN** there is a line\n' "$name" "$name" >"$change/specs/$name.md"
  ;;
"The tasks of the change"*)
  {
    printf -- '---\nchange_id: more\n---\n\n## 2. Logic Layer\n'
    for name in first second third fourth fifth; do
      number=$((${number:-0} + 1))
      printf '\n- [ ] 2.%s The %s file\n  - File: new/%s.txt (CREATE)\n  - Spec: %s#R1\n' "$number" "$name" "$name" "$name"
    done
  } >"$change/tasks.md"
  ;;
"Challenge the plan"*) printf '{"verdict":"APPROVED","summary":"fine (%s)","issues":[]}\n' "$$" >"$change/challenge.json" ;;
*)
  echo "nobody here knows how to: $title" >&2
  exit 1
  ;;
esac
