#!/bin/sh
# A reviewer that is a script: it tries the work and hands in its verdict. Where that leads is computed by the engine; asking for
# another place would be refused.
set -eu

sleep "${DEMO_PAUSE:-0.3}"
verdict() { printf 'Verdict: %s\n\n%s\n' "$1" "$2" | signalbox submit review - --quiet; }

if ! sh test.sh; then
  verdict FAIL "- test.sh: the tests do not pass."
elif [ "$(sed -n 's/^branch: *//p' TASK.md | head -n 1)" = shout ] && [ "$(sh greet.sh --shout Ada)" != "HELLO, ADA!" ]; then
  verdict FAIL "- greet.sh:5: \`sh greet.sh --shout Ada\` says \"$(sh greet.sh --shout Ada)\"; the name must be in capital letters too, and test.sh must say so."
else
  verdict PASS "The tests pass, and the change does what the handoff says."
fi
