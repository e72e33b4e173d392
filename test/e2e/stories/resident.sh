#!/bin/sh
# A worker that lives in its terminal and may lose everybody around it: whatever it is told, it looks at what is there, and does what is
# missing.
. "${0%/*}/../lives/ledger.sh"
begin worker

. "${0%/*}/../lives/work.sh"

work
while IFS= read -r line; do
  echo "$line" >>"$LEDGER/heard"
  case $line in "- "* | "") ;; *) work ;; esac
done
