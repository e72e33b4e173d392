#!/bin/sh
# Every agent and every check of a whole run, each of which does its part at once: BENCH_FOLDER says where it notes from when to when.
# Which one it is, the first line of its prompt says; without a prompt it is a check, and green.
set -eu

folder=$BENCH_FOLDER
stamp=$folder/stamps/$$
from=$(date +%s%N)
trap 'echo "$from $(date +%s%N) ${title:-check}" >"$stamp"' EXIT

[ -n "${SIGNALBOX_PROMPT:-}" ] || exit 0
phases=.agents/tmp/phases
mkdir -p "$phases" .agents/tmp/tasks
read -r title <"$SIGNALBOX_PROMPT"
title=${title#\# }

# What stands between backquotes behind these words.
named() { sed -n "s/.*$1 \`\([^\`]*\)\`.*/\1/p;T;q" "$SIGNALBOX_PROMPT"; }

approve() { printf '{"status":"approved","summary":"fine (%s)",%s"issues":[]}\n' "$$" "$2" >"$phases/$1"; }

case $title in
"Questions for the exploration"*) echo '{"complexity":"simple","queries":["code","tests"]}' >"$phases/0-queries.json" ;;
"Find out: "*) echo 'In part-0.' >"$(named Write)" ;;
"Combine the exploration"*) printf '## Findings\n\npart-0.\n\n## Summary\n\nSmall.\n\n## Gaps\n\nnone\n' >"$phases/0-explore.md" ;;
"Find an approach"*) printf '## Approach\n\nStraight on.\n\n## Areas\n\n- code\n- docs\n' >"$phases/1.1-brainstorm.md" ;;
"Plan the area "*) echo 'Small tasks.' >"$(named Write)" ;;
"One plan"*)
  {
    printf '## Overview\n\nFiles, one after the other.\n'
    for task in 1 2 3 4 5 6 7 8; do
      printf '\n### Task %s: One more file\n\nFiles: new/%s.txt\nDependencies: none\nComplexity: easy\nInstructions: Write it.\n' "$task" "$task"
    done
  } >"$phases/1.2-plan.md"
  ;;
"Task "*)
  number=${title#Task }
  number=${number%%[!0-9]*}
  mkdir -p new
  echo "More." >"new/$number.txt"
  printf '{"taskId":"%s","status":"completed","summary":"done","filesModified":[]}\n' "$number" >".agents/tmp/tasks/$SIGNALBOX_RUN.json"
  ;;
"Simplify the code"*) echo 'Nothing.' >"$phases/2.2-simplify.md" ;;
"Review the plan"*) approve 1.3-plan-review.json "" ;;
"Review the implementation"*)
  if [ -e new/mended.txt ]; then
    approve 2.3-impl-review.json '"filesReviewed":[],'
  else
    printf '{"status":"needs_revision","summary":"not yet","filesReviewed":[],"issues":[{"severity":"HIGH","location":"new/1.txt:1","issue":"too short"}]}\n' >"$phases/2.3-impl-review.json"
  fi
  ;;
"Fix the findings in "*)
  echo 'Longer.' >new/mended.txt
  echo 'It is longer.' >"$(named note,)"
  ;;
"Review the tests"*) approve 3.3-test-review.json "" ;;
"Bring the documentation up to date"*) echo 'Nothing to tell.' >"$phases/4.1-docs.md" ;;
"Final review"*) approve 4.2-final-review.json '"overallQuality":"high","readyForCommit":true,' ;;
"Prepare the handover"*) echo '{"summary":"More files.","commitMessage":"More files","title":"More files","body":"Eight."}' >"$phases/4.3-completion.json" ;;
*)
  echo "nobody here knows how to: $title" >&2
  exit 1
  ;;
esac
