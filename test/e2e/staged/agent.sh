#!/bin/sh
# All the agents of `staged`, as one script. Who it is, its job says; how it behaves, the file will.NAME in $LEDGER, a word in a line for each call.
# NAME is a role, or one member of it: explorer.SLOT, worker.TASK. Behind the last word it behaves well, unless that ends with a star.
set -eu

phases=.agents/tmp/phases
mkdir -p "$phases" .agents/tmp/summaries .agents/tmp/tasks "$LEDGER/calls"
title=$(sed -n '1s/^# //p' "$SIGNALBOX_PROMPT")
name=${SIGNALBOX_JOB#*.}
name=${name%.*.*}
task=$(printf '%s' "$title" | sed -n 's/^Task \([0-9]*\).*/\1/p')
[ -z "$task" ] || name=$name.$task
role=${name%%.*}

echo "$title" >>"$LEDGER/calls/$name"
call=$(wc -l <"$LEDGER/calls/$name" | tr -d ' ')
will=$LEDGER/will.$name
[ -e "$will" ] || will=$LEDGER/will.$role
word=ok
if [ -e "$will" ]; then
  word=$(sed -n "${call}p" "$will")
  [ -n "$word" ] || word=$(sed -n '$p' "$will" | grep '\*$' || echo ok)
  word=${word%'*'}
fi
echo "begin $name $call $word" >>"$LEDGER/order"

# What stands between backquotes behind these words.
named() { sed -n "s/.*$1 \`\([^\`]*\)\`.*/\1/p" "$SIGNALBOX_PROMPT" | head -n 1; }

case $word in
die) exit 3 ;;
silent) exit 0 ;;
hang) exec sleep 600 ;;
# All three at once, or nobody goes on.
meet)
  : >"$LEDGER/here.$role.$name"
  until [ "$(ls "$LEDGER" | grep -c "^here.$role")" -ge 3 ]; do sleep 0.02; done
  ;;
hold) until [ -e "$LEDGER/go.$name" ]; do sleep 0.02; done ;;
esac

issue() { printf '{"severity":"%s","location":"%s","issue":"not good enough"}' "$1" "$2"; }

review() { # FILE PLACE
  case $word in
  fix) say needs_revision "$(issue HIGH "$2")" ;;
  three) say needs_revision "$(issue HIGH src/shout.sh:1),$(issue LOW src/greet.sh:2),$(issue MEDIUM test/shout.test.sh)" ;;
  blocked) say blocked "$(issue HIGH "$2")" ;;
  high) say approved "$(issue HIGH "$2")" ;;
  low) say approved "$(issue LOW "$2")" ;;
  odd) say approved "$(issue SPICY "$2")" ;;
  empty) say needs_revision "" ;;
  empty-blocked) say blocked "" ;;
  garbage) printf 'I like it (%s).\n' "$call" ;;
  *) say approved "" ;;
  esac >"$phases/$1"
}
say() { # STATUS ISSUES
  printf '{"status":"%s","summary":"looked at it, %s",%s"issues":[%s]}\n' "$1" "$call" "$more" "$2"
}
# What else the contract of a review asks for.
more=

case $role in
# What is the same as before is not new.
scout) printf '{"complexity":"medium","queries":["code","tests","docs"]%*s}\n' "$call" "" >"$phases/0-queries.json" ;;
explorer) printf 'It is in src/greet.sh:3.\n' >"$(named Write)" ;;
aggregator) printf '## Findings\n\nsrc/greet.sh:3 prints it.\n\n## Summary\n\nOne script.\n\n## Gaps\n\nnone (%s)\n' "$call" >"$phases/0-explore.md" ;;
brainstormer) printf '## Approach\n\nA script of its own (%s).\n\n## Areas\n\n- code\n- tests\n' "$call" >"$phases/1.1-brainstorm.md" ;;
planner) printf 'One task, small (%s).\n' "$call" >"$(named Write)" ;;
plan-merger | plan-fixer)
  cat >"$phases/1.2-plan.md" <<PLAN
## Overview

Greetings get a shouting sister ($role $call).

### Task 1: A script that shouts

Files: src/shout.sh
Dependencies: none
Complexity: easy
Instructions: \`sh src/shout.sh NAME\` greets in capital letters.

### Task 2: A test for it

Files: test/shout.test.sh
Dependencies: Task 1
Complexity: medium
Instructions: The name must be shouted, too.

### Task 3: Make the greeting reusable

Files: src/greet.sh
Dependencies: none
Complexity: hard
Instructions: Say in its comment that other scripts call it.
PLAN
  ;;
worker)
  status=completed
  case $task in
  1) printf '#!/bin/sh\necho "HELLO, ADA!"\n' >src/shout.sh ;;
  2) printf '#!/bin/sh\n[ "$(sh src/shout.sh)" = "HELLO, ADA!" ]\n' >test/shout.test.sh ;;
  3) printf '#!/bin/sh\n# Other scripts call it, too.\necho "Hello, ${1:-you}!"\n' >src/greet.sh ;;
  esac
  case $word in
  fail) status=failed ;;
  wrong) echo '# WRONG' >>src/shout.sh ;;
  mystery) echo '# MYSTERY' >>src/shout.sh ;;
  red) echo 'exit 1' >>test/shout.test.sh ;;
  esac
  printf '{"taskId":"%s","status":"%s","summary":"%s, %s","filesModified":[]}\n' "$task" "$status" "$word" "$call" >".agents/tmp/tasks/$SIGNALBOX_RUN.json"
  ;;
simplifier) printf 'Nothing was to be made simpler (%s).\n' "$call" >"$phases/2.2-simplify.md" ;;
plan-reviewer) review 1.3-plan-review.json "Task 1" ;;
implementation-reviewer) more='"filesReviewed":["src/shout.sh"],' && review 2.3-impl-review.json src/shout.sh:1 ;;
test-reviewer) review 3.3-test-review.json test/shout.test.sh:1 ;;
final-reviewer) more='"overallQuality":"high","readyForCommit":true,' && review 4.2-final-review.json README.md:1 ;;
implementation-fixer | coverage-fixer | final-fixer)
  member=$(printf '%s' "$title" | sed -n 's/^Fix the findings in \(.*\): .*/\1/p')
  [ ! -e "$member" ] || printf '# mended, %s\n' "$call" >>"$member"
  printf 'Mended (%s).\n' "$call" >"$(named note,)"
  ;;
analyst) printf '## Cause\n\ntest/shout.test.sh:3 is wrong (%s).\n\n## Fix\n\nMend it.\n' "$call" >"$phases/3.2-analysis.md" ;;
test-fixer) printf '#!/bin/sh\n# mended, %s\n[ "$(sh src/shout.sh)" = "HELLO, ADA!" ]\n' "$call" >test/shout.test.sh ;;
documenter)
  printf '\nIt can be shouted, too (%s).\n' "$call" >>README.md
  printf 'README.md: how to shout (%s).\n' "$call" >"$phases/4.1-docs.md"
  ;;
finisher) printf '{"summary":"It shouts, %s.","commitMessage":"Shout greetings","title":"Shout greetings","body":"It shouts."}\n' "$call" >"$phases/4.3-completion.json" ;;
summarizer) printf '## Decisions\n\n- a script of its own (%s)\n\n## Files\n\n- %s/1.2-plan.md\n\n## Open\n\nnone\n' "$call" "$phases" >"$(named 'summary to')" ;;
*)
  echo "nobody here knows how to be $role" >&2
  exit 1
  ;;
esac
echo "end $name $call" >>"$LEDGER/order"
