#!/bin/sh
# All the agents of the demo, as one script instead of models. Which one it is, the first line of its prompt says; where its answer goes, the rest
# of it. It is played straight but for two things: the reviewer of the first task finds a mistake, and the review of all of it has a note.
set -eu

title=$(sed -n '1s/^# //p' "$SIGNALBOX_PROMPT")
output=$(sed -n 's/.*one file, `\([^`]*\)`.*/\1/p' "$SIGNALBOX_PROMPT" | head -n 1)
session=${output%%/contract/*}
mkdir -p "$(dirname "$output")"
sleep "${DEMO_PAUSE:-0.3}"

# Word for word what was there before does not count.
attempt=$(sed -n 's/.*this is attempt \([0-9]*\):.*/\1/p' "$SIGNALBOX_PROMPT" | head -n 1)
again=
[ "$attempt" = 1 ] || again=" (attempt $attempt)"

# What every role says, and what its own adds.
answer() { # STATUS SUMMARY ARTIFACTS MORE
  printf '{"status":"%s","summary":"%s%s","artifacts":{%s},"gates":{"meets_definition_of_done":true,"needs_review":false,"needs_tests":false,"security_concerns":[]},"next":{"recommended_agent":"Orchestrator","recommended_task_id":"meta","reason":"the engine knows"}%s}\n' "$1" "$2" "$again" "$3" "$4" >"$output"
}

coded() { # SUMMARY FILE BEHAVIOUR_CHANGED
  answer OK "$1" "\"files_changed\":[\"$2\"],\"patch_summary\":[\"$1\"]" ",\"behaviour_changed\":${3:-true},"'"security_relevant":false,"complexity_found":false'
}

reviewed() { # STATUS SUMMARY COMMENT
  answer "$1" "$2" "\"review_comments\":[$3],\"checklist_summary\":{\"security\":\"OK\",\"architecture\":\"OK\",\"logic\":\"OK\",\"performance\":\"N/A\",\"quality\":\"OK\",\"devils_advocate\":\"OK\"}" ""
}

case $title in
"Write the specification: "*)
  cat >"$session/spec.md" <<'TEXT'
## Goals

Whoever wants to be heard is greeted in capital letters: one person, or everybody whom a file names.

## Acceptance Criteria

- AC-001: one person is greeted in capital letters, the name included
- AC-002: each line of a file is greeted as a name, and never run
- AC-003: it is loud, and not rude

## Definition of Done

All tests pass, a person has heard a greeting, and the README says how to shout.
TEXT
  cat >"$session/acceptance.json" <<'TEXT'
{"acceptance_criteria":[
{"id":"AC-001","description":"one person is greeted in capital letters","verify":["cmd: test \"$(sh src/shout.sh Ada)\" = \"HELLO, ADA!\""]},
{"id":"AC-002","description":"a name is never run","verify":["cmd: sh test.sh"]},
{"id":"AC-003","description":"it is loud, and not rude","verify":["manual: somebody who is greeted like that is glad of it"]}]}
TEXT
  answer OK "Greetings that shout, for one and for many" "" ',"ui":false,"needs_research":false,"assumptions":["Names are in the Latin alphabet."]'
  ;;
"Design the architecture: "*)
  printf '## Overview\n\nTwo small scripts on top of the greeting that is there.\n\n## Modules\n\n- src/shout.sh: greets one person, by way of src/greet.sh\n- src/crowd.sh: greets everybody in a file, by way of src/shout.sh\n\n## Risks\n\n- A line of the file could be run as a command: it is only ever an argument, in quotes.\n' >"$session/architecture.md"
  answer OK "Two scripts, each on top of the one before" '"adrs":[]' ""
  ;;
"Plan the work: "*)
  cat >"$session/tasks.yaml" <<'TEXT'
project:
  name: Greetings
  definition_of_done: [all tests pass]
tasks:
  - id: T-001
    status: not-started
    type: feat
    title: A script that shouts
    goal: sh src/shout.sh NAME greets in capital letters
    depends_on: []
    files_expected: [src/shout.sh]
    acceptance_checks: ["cmd: sh -n src/shout.sh"]
    done_when: [the name is in capital letters, too]
    complexity: easy
    needs_qa: true
    needs_security: false
  - id: T-002
    status: not-started
    type: feat
    title: A crowd is greeted from a file
    goal: sh src/crowd.sh FILE greets whoever is named in it, a line each
    depends_on: [T-001]
    files_expected: [src/crowd.sh]
    acceptance_checks: ["cmd: sh -n src/crowd.sh"]
    done_when: [no line is ever run]
    complexity: medium
    needs_qa: true
    needs_security: true
    risk_flags: [security]
  - id: T-003
    status: not-started
    type: test
    title: Tests for both
    goal: test/shout.test.sh would fail without either script
    depends_on: [T-001, T-002]
    files_expected: [test/shout.test.sh]
    acceptance_checks: ["cmd: sh test.sh"]
    done_when: [a hostile name is among them]
    complexity: easy
    needs_qa: false
    needs_security: false
TEXT
  answer OK "Three tasks, each needs the one before; one reads a file of somebody else" "" ',"large":true'
  ;;
"Task T-001: "*)
  printf '#!/bin/sh\n# Greets loudly: sh src/shout.sh NAME\necho "HELLO, ${1:-YOU}!"\n' >src/shout.sh
  coded "src/shout.sh greets loudly" src/shout.sh
  ;;
"Task T-001, fix: "*)
  printf '#!/bin/sh\n# Greets loudly: sh src/shout.sh NAME\nsh "$(dirname "$0")/greet.sh" "$@" | tr "[:lower:]" "[:upper:]"\n' >src/shout.sh
  coded "The name is shouted, too" src/shout.sh
  ;;
"Task T-002: "*)
  printf '#!/bin/sh\n# Greets everybody in a file, loudly: sh src/crowd.sh FILE\nwhile IFS= read -r name; do sh "$(dirname "$0")/shout.sh" "$name"; done <"$1"\n' >src/crowd.sh
  coded "src/crowd.sh greets line by line" src/crowd.sh
  ;;
"Task T-003: "*)
  cat >test/shout.test.sh <<'TEXT'
#!/bin/sh
# sh test/shout.test.sh
is() { [ "$1" = "$2" ] || { echo "FAIL $0: \"$1\" is not \"$2\""; exit 1; }; }
is "$(sh src/shout.sh Ada)" "HELLO, ADA!"
is "$(printf 'Ada\n$(id)\n' | sh src/crowd.sh /dev/stdin)" "HELLO, ADA!
HELLO, \$(ID)!"
TEXT
  coded "Both scripts are tested, with a hostile name" test/shout.test.sh false
  ;;
"Review task meta: "*)
  reviewed OK "The parts fit together; one note" '{"severity":"nit","category":"Quality","file":"src/crowd.sh","message":"Without a file it says nothing helpful."}'
  ;;
"Review task "*)
  if [ "$(sh src/shout.sh Ada)" = "HELLO, ADA!" ]; then
    reviewed OK "As wanted" ""
  else
    reviewed BLOCKED "The name stays quiet" '{"severity":"major","category":"Logic","file":"src/shout.sh","line":3,"message":"The name is not in capital letters.","suggested_fix":"Send the whole greeting through tr."}'
  fi
  ;;
"Test task "*)
  answer OK "$(sh test.sh | tail -n 1)" '"test_results":{"total":2,"passed":2,"failed":0,"skipped":0},"findings":[]' ""
  ;;
"Audit task "*) answer OK "A name is an argument in quotes wherever it goes" '"findings":[]' "" ;;
"Integrate and build: "*) answer OK "Nothing had to be changed" '"ci_notes":["sh test.sh is all there is to run"]' "" ;;
"Write the documentation: "*)
  printf '\n`sh src/shout.sh Ada` greets louder, `sh src/crowd.sh FILE` everybody whom a file names, a line each.\n' >>README.md
  answer OK "The README says how to shout" '"files_changed":["README.md"]' ',"readme":"updated","what_was_done":"src/shout.sh greets in capital letters, src/crowd.sh everybody whom a file names.","how_to_run":"sh src/shout.sh Ada","how_to_test":"sh test.sh","commitMessage":"Shout greetings\n\nFor one person, or for everybody whom a file names.","known_issues":["src/crowd.sh says nothing helpful without a file."]'
  ;;
*)
  echo "nobody here knows how to: $title" >&2
  exit 1
  ;;
esac
