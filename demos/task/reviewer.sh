#!/bin/sh
# A reviewer that is a script: it tries the work, writes its verdict into TASK.md and hands it in. Where that leads is
# computed by the engine; asking for another place would be refused.
set -eu

sleep "${DEMO_PAUSE:-0.3}"
said=$(sh greet.sh --shout Ada)
if [ "$said" = "HELLO, ADA!" ] && sh test.sh; then
  signalbox submit review - <<'REVIEW'
Verdict: PASS

`sh greet.sh --shout Ada` says HELLO, ADA! and test.sh covers it.
REVIEW
else
  signalbox submit review - <<REVIEW
Verdict: FAIL

- greet.sh:5: \`sh greet.sh --shout Ada\` says "$said"; the name must be in capital letters too, and test.sh must say so.
REVIEW
fi
