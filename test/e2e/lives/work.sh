# What a worker does that may lose everybody around it: it looks at what is there, and does what is missing.

work() {
  status=$(sed -n 's/^status: *//p' TASK.md | head -n 1)
  round=$(sed -n 's/^review_round: *//p' TASK.md | head -n 1)
  if [ "$status" = planning ]; then
    printf 'APPROACH: one line at a time\nTOUCHING: work.txt\n' | acked submit plan -
    acked task update --status working || return 0
    status=working
  fi
  if [ "$status" = working ]; then
    echo "round $round of $SIGNALBOX_JOB" >>work.txt
    git add work.txt
    git diff --cached --quiet || git commit --quiet --message "round $round"
    printf 'DONE: round %s of %s\n' "$round" "$SIGNALBOX_JOB" | acked submit handoff -
    acked task update --status agent-review
  fi
}
