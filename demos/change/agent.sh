#!/bin/sh
# All the agents of the demo, as one script instead of models. Which one it is, the first line of its prompt says; what it owes, the rest of it.
# It is played straight but for two things: the challenger finds the plan wanting at first, and so does the reviewer with the code.
set -eu

change=changes/shout
mkdir -p "$change/specs" "$change/merged" "$change/work"
title=$(sed -n '1s/^# //p' "$SIGNALBOX_PROMPT")
sleep "${DEMO_PAUSE:-0.3}"

judge() { # FILE VERDICT MORE SEVERITY TITLE DESCRIPTION
  if [ -z "$4" ]; then issues='[]'; else issues="[{\"severity\":\"$4\",\"title\":\"$5\",\"description\":\"$6\"}]"; fi
  printf '{"verdict":"%s","summary":"looked at by %s",%s"issues":%s}\n' "$2" "$(date +%s)" "$3" "$issues" >"$change/$1"
}

spec() { # NAME TITLE OVERVIEW REQUIREMENT WHEN THEN
  printf -- '---\nid: %s\ntype: spec\ntitle: %s\nversion: 1\n---\n\n## Overview\n\n%s\n\n## Requirements\n\n### R1: By name\n\n%s\n\n## Acceptance Criteria\n\n### Scenario: Ada\n\n- **WHEN** %s\n- **THEN** %s\n' "$@"
}

greeting() { spec greeting Greetings "Whoever calls the script is greeted by name, in one line; others may build louder ones on it." '`sh src/greet.sh NAME` prints a greeting with that name, for people and for other scripts.' 'somebody calls `sh src/greet.sh Ada`' 'the line is `Hello, Ada!`'; }
shouting() { spec shouting "Greetings that shout" "Whoever wants to be heard is greeted in capital letters, the name included, in one line." '`sh src/shout.sh NAME` prints the greeting in capital letters.' 'somebody calls `sh src/shout.sh Ada`' "the line is \`$1\`"; }

case $title in
"Propose a change"*)
  cat >"$change/proposal.md" <<'TEXT'
---
id: shout
type: proposal
affected_specs:
  - { id: shouting, depends: [greeting] }
  - { id: greeting }
---

<proposal>

## Summary

A second script greets in capital letters.

## Why

In a loud room nobody hears a quiet greeting, and people have asked for one that shouts.

## What Changes

- src/shout.sh is new
- the greeting may be used by other scripts

## Impact

Nobody who greets quietly notices anything.

</proposal>
TEXT
  ;;
"The spec greeting "*) greeting >"$change/specs/greeting.md" ;;
"The spec shouting "*) shouting "HELLO, Ada!" >"$change/specs/shouting.md" ;;
"The tasks of the change"*)
  cat >"$change/tasks.md" <<'TEXT'
---
change_id: shout
---

## 2. Logic Layer

- [ ] 2.1 A script that shouts
  - File: src/shout.sh (CREATE)
  - Spec: shouting#R1

## 4. Testing Layer

- [ ] 4.1 A test for it
  - File: test/shout.test.sh (CREATE)
  - Spec: shouting#R1
  - Depends: 2.1
TEXT
  ;;
"Challenge the plan"*)
  if grep -q "HELLO, ADA!" "$change/specs/shouting.md"; then
    judge challenge.json APPROVED "" "" "" ""
  else
    judge challenge.json NEEDS_REVISION "" HIGH "The name is not shouted" "shouting.md says capital letters, and its scenario has a quiet Ada."
  fi
  ;;
"Revise the plan"*) shouting "HELLO, ADA!" >"$change/specs/shouting.md" ;;
"Task 2.1"*)
  printf '#!/bin/sh\n# Greets loudly: sh src/shout.sh NAME\necho "HELLO, ${1:-YOU}!"\n' >src/shout.sh
  printf '{"taskId":"2.1","status":"completed","summary":"src/shout.sh greets loudly","filesModified":["src/shout.sh"]}\n' >"$change/work/$SIGNALBOX_RUN.json"
  ;;
"Task 4.1"*)
  printf '#!/bin/sh\n# sh test/shout.test.sh\ncase $(sh src/shout.sh Ada) in HELLO*) ;; *) echo "FAIL $0: nobody shouts"; exit 1 ;; esac\n' >test/shout.test.sh
  printf '{"taskId":"4.1","status":"completed","summary":"it is tested that it shouts","filesModified":["test/shout.test.sh"]}\n' >"$change/work/$SIGNALBOX_RUN.json"
  ;;
"Review the change"*)
  results='"test_results":{"status":"PASS","total":2,"passed":2,"failed":0},'
  if [ "$(sh src/shout.sh Ada)" = "HELLO, ADA!" ]; then
    judge review.json APPROVED "$results" "" "" ""
  else
    judge review.json NEEDS_CHANGES "$results" HIGH "The name is not shouted" "src/shout.sh:3 leaves the name as it is; the test does not look at it."
  fi
  ;;
"Fix the findings in"*)
  printf '#!/bin/sh\n# Greets loudly: sh src/shout.sh NAME\nsh "$(dirname "$0")/greet.sh" "$@" | tr "[:lower:]" "[:upper:]"\n' >src/shout.sh
  printf '#!/bin/sh\n# sh test/shout.test.sh\n[ "$(sh src/shout.sh Ada)" = "HELLO, ADA!" ] || { echo "FAIL $0: the name is not shouted"; exit 1; }\n' >test/shout.test.sh
  ;;
"Merge the spec greeting"*) greeting >"$change/merged/greeting.md" ;;
"Merge the spec shouting"*) shouting "HELLO, ADA!" >"$change/merged/shouting.md" ;;
"Review the merged specs"*) judge merge-review.json APPROVED "" "" "" "" ;;
*)
  echo "nobody here knows how to: $title" >&2
  exit 1
  ;;
esac
