#!/bin/sh
# A worker that may be killed at any moment: it looks at what is there, and does what is missing.
. "${0%/*}/ledger.sh"
begin worker

. "${0%/*}/work.sh"
work || true
# In a terminal of its own it stays: it tries again what was killed under it, and looks again whenever somebody types.
if [ -t 0 ]; then
  tries=0
  # A page that is not there, since somebody died over it, is put back by whoever looks next.
  until sed -n 's/^status: *//p' TASK.md | head -n 1 | grep -Evq 'planning|working' || [ "$((tries += 1))" -gt 50 ]; do
    sleep 0.1
    work || true
  done
  while read -r _line; do work || true; done
fi
finish
