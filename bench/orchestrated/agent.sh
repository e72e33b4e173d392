#!/bin/sh
# Every agent and every check of a session, each of which does its part at once: BENCH_FOLDER says where it notes from when to when,
# and for how many tasks it is. Which one it is, the first line of its prompt says; without a prompt it is a check, and green.
set -eu

stamp=$BENCH_FOLDER/stamps/$$
from=$(date +%s%N)
trap 'echo "$from $(date +%s%N) ${title:-check}" >"$stamp"' EXIT

[ -n "${SIGNALBOX_PROMPT:-}" ] || exit 0
read -r title <"$SIGNALBOX_PROMPT"
title=${title#\# }
output=$(sed -n 's/.*one file, `\([^`]*\)`.*/\1/p;T;q' "$SIGNALBOX_PROMPT")
session=${output%/contract/*}

# The part that every answer has, and what this one says besides.
reply() {
  mkdir -p "${output%/*}"
  printf '{"status":"OK","summary":"done (%s)","artifacts":{%s},"gates":{"meets_definition_of_done":true,"needs_review":false,"needs_tests":false,"security_concerns":[]},"next":{"recommended_agent":"nobody","recommended_task_id":"meta","reason":"none"}%s}\n' \
    "$$" "$1" "$2" >"$output"
}

case $title in
"Write the specification"*)
  mkdir -p "$session"
  printf '## Goals\n\nMore files.\n\n## Acceptance Criteria\n\n- AC-1: they are there\n\n## Definition of Done\n\n- all of them\n' >"$session/spec.md"
  printf '{"acceptance_criteria":[{"id":"AC-1","description":"they are there","verify":["cmd: %s/start.sh"]}]}\n' "$BENCH_FOLDER" >"$session/acceptance.json"
  reply '' ',"ui":false,"needs_research":false'
  ;;
"Design the architecture"*)
  printf '## Overview\n\nOne folder.\n\n## Modules\n\n- new: files\n\n## Risks\n\nNone: nobody reads them.\n' >"$session/architecture.md"
  reply '' ''
  ;;
"Plan the work"*)
  read -r tasks <"$BENCH_FOLDER/tasks"
  {
    printf 'project:\n  name: files\n  definition_of_done: [they are there]\ntasks:\n'
    number=0
    while [ "$number" -lt "$tasks" ]; do
      number=$((number + 1))
      printf '  - id: T-%03d\n    status: not-started\n    type: feat\n    title: File %s\n    goal: There is one more file\n    depends_on: []\n    files_expected: [new/T-%03d.txt]\n    acceptance_checks: ["cmd: %s/start.sh"]\n    done_when: [it is there]\n    complexity: easy\n    needs_qa: true\n    needs_security: true\n' \
        "$number" "$number" "$number" "$BENCH_FOLDER"
    done
  } >"$session/tasks.yaml"
  reply '' ',"large":true'
  ;;
"Task "*)
  name=${title#Task }
  name=${name%%:*}
  mkdir -p new
  echo "More." >"new/$name.txt"
  reply "\"files_changed\":[\"new/$name.txt\"]" ',"behaviour_changed":true,"security_relevant":false,"complexity_found":false'
  ;;
"Review task "*) reply '"review_comments":[],"checklist_summary":{"security":"OK","architecture":"OK","logic":"OK","performance":"OK","quality":"OK","devils_advocate":"OK"}' '' ;;
"Test task "*) reply '"test_results":{"total":1,"passed":1,"failed":0,"skipped":0},"findings":[]' '' ;;
"Audit task "*) reply '"findings":[]' '' ;;
"Integrate and build"*) reply '' '' ;;
"Write the documentation"*)
  echo "# Files" >README.md
  reply '' ',"readme":"updated","what_was_done":"More files.","how_to_run":"Read them.","how_to_test":"Count them.","commitMessage":"More files"'
  ;;
*)
  echo "nobody here knows how to: $title" >&2
  exit 1
  ;;
esac
