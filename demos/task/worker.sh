#!/bin/sh
# A worker that is a script instead of a model. It does what workflows/task/prompts/worker.md asks of any worker: it writes
# into TASK.md, commits, and asks for the next status. Whether it gets there is not for it to say.
set -eu

status=$(sed -n 's/^status: *//p' TASK.md | head -n 1)
echo "worker: the prompt is in $SIGNALBOX_PROMPT; the status is $status"
pause() { sleep "${DEMO_PAUSE:-0.3}"; }

if [ "$status" = planning ]; then
  pause
  cat >>TASK.md <<'PLAN'

## Plan

APPROACH: read --shout first, then greet with `tr` in between
TOUCHING: greet.sh, test.sh
PLAN
  signalbox task update --status working
  pause

  # A mistake that a reviewer should find: the name stays as it is.
  cat >greet.sh <<'CODE'
#!/bin/sh
# Greets somebody: sh greet.sh [--shout] NAME
if [ "${1:-}" = --shout ]; then
  shift
  echo "HELLO, ${1:-you}!"
else
  echo "Hello, ${1:-you}!"
fi
CODE
  sh test.sh
  git commit --quiet --all --message "greet.sh: --shout greets loudly"
  printf 'DONE: --shout is there, the tests pass\nUNCERTAIN: whether the name is to be shouted too\n' | signalbox submit handoff -
  signalbox task update --status agent-review
elif [ "$status" = working ]; then
  pause
  cat >greet.sh <<'CODE'
#!/bin/sh
# Greets somebody: sh greet.sh [--shout] NAME
if [ "${1:-}" = --shout ]; then
  shift
  echo "Hello, ${1:-you}!" | tr '[:lower:]' '[:upper:]'
else
  echo "Hello, ${1:-you}!"
fi
CODE
  sed '/^echo/i [ "$(sh greet.sh --shout Ada)" = "HELLO, ADA!" ] || { echo "shouting is broken"; exit 1; }' test.sh >test.new
  cat test.new >test.sh
  rm test.new
  sh test.sh
  git commit --quiet --all --message "greet.sh: --shout shouts the name too, with a test"
  printf 'DONE: the name is shouted too, and a test says so\n' | signalbox submit handoff -
  signalbox task update --status agent-review
else
  echo "worker: there is nothing for me to do in $status"
fi
