#!/bin/sh
# Every agent of `staged`, played straight and without a pause. Which one it is, the first line of its prompt says.
# What it writes depends on nothing but that and on the word in `round`: the same text a second time would be no new one.
# A file hold-ROLE in the ledger makes one wait until a test lets it go.
set -eu

LEDGER=$HOME/../ledger
phases=.agents/tmp/phases
mkdir -p "$phases" .agents/tmp/summaries .agents/tmp/tasks
title=$(sed -n '1s/^# //p' "$SIGNALBOX_PROMPT")
who=${SIGNALBOX_JOB#*.}
role=${who%%.*}
round=$(cat "$LEDGER/round" 2>/dev/null || echo first)
[ "$round" = first ] && space= || space=' '

# Of those that come at once, one is held, and none that comes afterwards.
if mv "$LEDGER/hold-$role" "$LEDGER/holding-$role" 2>/dev/null; then
  echo "$$" >"$LEDGER/held"
  while [ -e "$LEDGER/holding-$role" ]; do sleep 0.02; done
fi

# What stands between backquotes behind these words.
named() { sed -n "s/.*$1 \`\([^\`]*\)\`.*/\1/p" "$SIGNALBOX_PROMPT" | head -n 1; }

review() { # FILE MORE
  printf '{"status":"approved","summary":"looked at, %s",%s"issues":[]}\n' "$round" "$2" >"$phases/$1"
}

case $title in
"Questions for the exploration"*) printf '{"complexity":"simple","queries":["where it is"]%s}\n' "$space" >"$phases/0-queries.json" ;;
"Find out: "*) echo "It is in test.sh:1 ($round)." >"$(named Write)" ;;
"Combine the exploration"*) printf '## Findings\n\ntest.sh:1\n\n## Summary\n\nSmall, %s.\n\n## Gaps\n\nnone\n' "$round" >"$phases/0-explore.md" ;;
"Find an approach"*) printf '## Approach\n\nStraight, %s.\n\n## Areas\n\n- code\n' "$round" >"$phases/1.1-brainstorm.md" ;;
"Plan the area "*) echo "Two tasks ($round)." >"$(named Write)" ;;
"One plan"*) sed "s/Two files/Two files, $round/" "$HOME/../plan.md" >"$phases/1.2-plan.md" ;;
"Review the plan"*) review 1.3-plan-review.json "" ;;
"Task "*)
  number=$(printf '%s' "$title" | sed 's/Task \([0-9]*\).*/\1/')
  echo "work $number" >"work-$number.txt"
  printf '{"taskId":"%s","status":"completed","summary":"done","filesModified":["work-%s.txt"]}\n' "$number" "$number" >".agents/tmp/tasks/$SIGNALBOX_RUN.json"
  ;;
"Simplify the code"*) echo "Nothing, $round." >"$phases/2.2-simplify.md" ;;
"Review the implementation"*) review 2.3-impl-review.json '"filesReviewed":["work-1.txt"],' ;;
"Review the tests"*) review 3.3-test-review.json "" ;;
"Bring the documentation up to date"*)
  echo "There is more." >README.md
  echo "README.md, $round." >"$phases/4.1-docs.md"
  ;;
"Final review"*) review 4.2-final-review.json '"overallQuality":"high","readyForCommit":true,' ;;
"Prepare the handover"*) printf '{"summary":"Done, %s.","commitMessage":"Do more","title":"More","body":"All of it."}\n' "$round" >"$phases/4.3-completion.json" ;;
"Summarise the stage"*) printf '## Decisions\n\n- straight, %s\n\n## Files\n\n- the plan\n\n## Open\n\nnone\n' "$round" >"$(named 'summary to')" ;;
*)
  echo "nobody here knows how to: $title" >&2
  exit 1
  ;;
esac

# What a prompt names is there when its reader is done: it was there before, or is what the reader wrote.
sed '/if there is one/d; s/if `[^`]*` is there//' "$SIGNALBOX_PROMPT" | grep -o '\.agents/tmp/[A-Za-z0-9./_-]*[a-z]\.\(md\|json\|txt\)' | sort -u | while read -r file; do
  case $file in *NAME*) continue ;; esac
  [ -e "$file" ] || echo "$role: $file" >>"$LEDGER/missing"
done
