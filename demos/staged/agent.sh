#!/bin/sh
# All the agents of the demo, as one script instead of models. Which one it is, the first line of its prompt says; what it owes, the rest of it.
# It is played straight but for three things: an agent has a question, the reviewer of the implementation finds a mistake, and a test is
# wrong at first.
set -eu

phases=.agents/tmp/phases
mkdir -p "$phases" .agents/tmp/summaries .agents/tmp/tasks
title=$(sed -n '1s/^# //p' "$SIGNALBOX_PROMPT")
sleep "${DEMO_PAUSE:-0.3}"

# What stands between backquotes behind these words.
named() { sed -n "s/.*$1 \`\([^\`]*\)\`.*/\1/p" "$SIGNALBOX_PROMPT" | head -n 1; }

review() { # FILE STATUS MORE LOCATION ISSUE
  if [ -z "$4" ]; then issues='[]'; else issues="[{\"severity\":\"HIGH\",\"location\":\"$4\",\"issue\":\"$5\",\"suggestion\":\"mend it\"}]"; fi
  printf '{"status":"%s","summary":"looked at by attempt %s",%s"issues":%s}\n' "$2" "$(date +%s)" "$3" "$issues" >"$phases/$1"
}

case $title in
"Questions for the exploration"*)
  printf '{"complexity":"medium","queries":["how greetings are made","how it is tested","what the README says"]}\n' >"$phases/0-queries.json"
  ;;
"Find out: "*)
  printf 'It is in src/greet.sh:3. Tests are in test/greet.test.sh:4.\n' >"$(named Write)"
  ;;
"Combine the exploration"*)
  printf '## Findings\n\n### Greetings\n\nsrc/greet.sh:3 prints them.\n\n## Summary\n\nOne script, one test.\n\n## Gaps\n\nnone\n' >"$phases/0-explore.md"
  ;;
"Find an approach"*)
  printf '## Approach\n\nA script beside the first one, with a test of its own.\n\n## Areas\n\n- code\n- docs\n' >"$phases/1.1-brainstorm.md"
  ;;
"Plan the area "*)
  printf 'One task, small.\n' >"$(named Write)"
  ;;
"One plan"*)
  cat >"$phases/1.2-plan.md" <<'PLAN'
## Overview

Greetings get a shouting sister.

### Task 1: A script that shouts

Files: src/shout.sh
Dependencies: none
Complexity: easy
Instructions: `sh src/shout.sh NAME` greets in capital letters.

### Task 2: A test for it

Files: test/shout.test.sh
Dependencies: Task 1
Complexity: easy
Instructions: The name must be shouted, too.

### Task 3: Make the greeting reusable

Files: src/greet.sh
Dependencies: none
Complexity: medium
Instructions: Say in its comment who else calls it.
PLAN
  ;;
"Task "*)
  number=$(printf '%s' "$title" | sed 's/Task \([0-9]*\).*/\1/')
  status=completed
  said="done as planned"
  case $number in
  1) printf '#!/bin/sh\n# Greets loudly: sh src/shout.sh NAME\necho "HELLO, ${1:-you}!"\n' >src/shout.sh ;;
  2) printf '#!/bin/sh\n# sh test/shout.test.sh\n[ "$(sh src/shout.sh Ada)" = "HELLO, ADA" ] || { echo "FAIL $0: the name is not shouted"; exit 1; }\n' >test/shout.test.sh ;;
  3)
    if grep -q "Our own scripts" "$SIGNALBOX_PROMPT" ".agents/tmp/tasks/$SIGNALBOX_RUN.payload.json"; then
      sed 's/^# Greets somebody:/# Greets somebody, also for our own scripts:/' src/greet.sh >src/greet.new
      cat src/greet.new >src/greet.sh
      rm src/greet.new
    else
      status=needs_context
      said="who is to call greet.sh?"
    fi
    ;;
  esac
  printf '{"taskId":"%s","status":"%s","summary":"%s","filesModified":[]}\n' "$number" "$status" "$said" >".agents/tmp/tasks/$SIGNALBOX_RUN.json"
  ;;
"Simplify the code"*)
  printf 'Nothing was to be made simpler.\n' >"$phases/2.2-simplify.md"
  ;;
"Review the plan"*)
  review 1.3-plan-review.json approved "" "" ""
  ;;
"Review the implementation"*)
  if [ "$(sh src/shout.sh Ada)" = "HELLO, ADA!" ]; then
    review 2.3-impl-review.json approved '"filesReviewed":["src/shout.sh"],' "" ""
  else
    review 2.3-impl-review.json needs_revision '"filesReviewed":["src/shout.sh"],' src/shout.sh:3 "the name is not in capital letters"
  fi
  ;;
"Fix the findings in "*)
  printf '#!/bin/sh\n# Greets loudly: sh src/shout.sh NAME\nsh "$(dirname "$0")/greet.sh" "$@" | tr "[:lower:]" "[:upper:]"\n' >src/shout.sh
  printf 'The name is shouted now (%s).\n' "$(date +%s)" >"$(named note,)"
  ;;
"Why do the tests fail"*)
  printf '## Cause\n\ntest/shout.test.sh:3 expects no exclamation mark (%s).\n\n## Fix\n\nExpect "HELLO, ADA!".\n' "$(date +%s)" >"$phases/3.2-analysis.md"
  ;;
"Fix the failing tests"*)
  sed 's/"HELLO, ADA"/"HELLO, ADA!"/' test/shout.test.sh >test/shout.new && cat test/shout.new >test/shout.test.sh && rm test/shout.new
  ;;
"Review the tests"*)
  review 3.3-test-review.json approved "" "" ""
  ;;
"Bring the documentation up to date"*)
  printf '\n`sh src/shout.sh Ada` greets louder.\n' >>README.md
  printf 'README.md: how to shout.\n' >"$phases/4.1-docs.md"
  ;;
"Final review"*)
  review 4.2-final-review.json approved '"overallQuality":"high","readyForCommit":true,' "" ""
  ;;
"Prepare the handover"*)
  printf '{"summary":"Greetings can be shouted.","commitMessage":"Shout greetings\\n\\nsrc/shout.sh greets in capital letters.","title":"Shout greetings","body":"src/shout.sh greets in capital letters; tested."}\n' >"$phases/4.3-completion.json"
  ;;
"Summarise the stage"*)
  printf '## Decisions\n\n- a script of its own (%s)\n\n## Files\n\n- %s/1.2-plan.md: the plan\n\n## Open\n\nnone\n' "$(date +%s)" "$phases" >"$(named 'summary to')"
  ;;
*)
  echo "nobody here knows how to: $title" >&2
  exit 1
  ;;
esac
