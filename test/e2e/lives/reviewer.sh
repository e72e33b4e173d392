#!/bin/sh
# A reviewer that never passes a first round.
. "${0%/*}/ledger.sh"
begin reviewer

round=$(sed -n 's/^review_round: *//p' TASK.md | head -n 1)
if [ "$round" -gt 1 ]; then verdict=PASS; else verdict=FAIL; fi
printf 'Verdict: %s\n\n- work.txt:1: seen by %s\n' "$verdict" "$SIGNALBOX_JOB" | acked submit review -
finish
