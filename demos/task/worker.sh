#!/bin/sh
# A worker that is a script instead of a model. It does what workflows/task/prompts/worker.md asks of any worker: it hands in its
# plan and its handoff, commits, and asks for the next status. Whether it gets there is not for it to say.
#
# In a terminal it stays, and looks at its task again whenever it is told something; without one it is started for each turn.
set -eu

field() { sed -n "s/^$1: *//p" TASK.md | head -n 1; }
pause() { sleep "${DEMO_PAUSE:-0.3}"; }

plan() {
  pause
  printf 'APPROACH: %s\nTOUCHING: %s\n' "$1" "$2" | signalbox submit plan - --quiet
  signalbox update --status working --quiet
  pause
}

handoff() {
  sh test.sh
  git add --all
  git commit --quiet --message "$1"
  printf 'DONE: %s\n' "$2" | signalbox submit handoff - --quiet
  signalbox update --status agent-review --quiet
}

# The reviewer finds a mistake: the name is not shouted.
shout() {
  case $1 in
  planning)
    plan "read --shout first, then greet" "greet.sh, test.sh"
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
    handoff "greet.sh: --shout greets loudly" "--shout is there; unsure whether the name is to be shouted too"
    ;;
  working)
    pause
    sed 's/echo "HELLO, ${1:-you}!"/echo "Hello, ${1:-you}!" | tr "[:lower:]" "[:upper:]"/' greet.sh >greet.new
    cat greet.new >greet.sh
    rm greet.new
    sed '/^echo/i [ "$(sh greet.sh --shout Ada)" = "HELLO, ADA!" ] || { echo "shouting is broken"; exit 1; }' test.sh >test.new
    cat test.new >test.sh
    rm test.new
    handoff "greet.sh: --shout shouts the name too, with a test" "the name is shouted too, and a test says so"
    ;;
  esac
}

# What is wanted is not clear: a person is asked.
farewell() {
  [ "$1" = planning ] || return 0
  if ! grep -q '^## Questions' TASK.md; then
    pause
    echo "How is a farewell to be said: \"Goodbye\" or \"See you\"?" | signalbox submit questions - --quiet
    signalbox update --status clarification --quiet
    return 0
  fi
  plan "a script of its own, beside greet.sh" "bye.sh"
  cat >bye.sh <<'CODE'
#!/bin/sh
# Says farewell to somebody: sh bye.sh NAME
echo "See you, ${1:-you}!"
CODE
  handoff "bye.sh: says farewell" "bye.sh says \"See you\", as was answered"
}

usage() {
  [ "$1" = planning ] || return 0
  plan "one section with an example" "README.md"
  printf '\n## Usage\n\n    $ sh greet.sh Ada\n    Hello, Ada!\n' >>README.md
  handoff "README: how to greet" "a section with an example that was tried"
}

work() {
  status=$(field status)
  echo "worker: the status is $status"
  case $(field branch) in
  shout) shout "$status" ;;
  farewell) farewell "$status" ;;
  *) usage "$status" ;;
  esac
}

work
# Somebody types here when there is news, line by line; most lines are read by people only.
if [ -t 0 ]; then while read -r _line; do work; done; fi
