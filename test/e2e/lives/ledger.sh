# What agents write down for the test, outside of everything that Signalbox keeps: one line per write, so that lines stay whole.

begin() {
  echo "$SIGNALBOX_JOB $$" >>"$LEDGER/starts"
  # Somebody who plays the same role in the same run must be gone by now.
  holder=$(cat "$LEDGER/$SIGNALBOX_RUN.$1" 2>/dev/null || true)
  if [ -n "$holder" ] && kill -0 "$holder" 2>/dev/null && tr '\0' '\n' <"/proc/$holder/environ" 2>/dev/null | grep -q "^SIGNALBOX_JOB=$SIGNALBOX_RUN[.]$1"; then
    echo "$SIGNALBOX_JOB began while $holder lived: $(tr '\0' '\n' <"/proc/$holder/environ" | grep ^SIGNALBOX_JOB)" >>"$LEDGER/violations"
  fi
  echo $$ >"$LEDGER/$SIGNALBOX_RUN.$1"
}

# Only what was acknowledged counts as said.
acked() {
  answer=$(signalbox "$@" --json) || { code=$?; echo "$SIGNALBOX_JOB $code $*" >>"$LEDGER/refused"; return "$code"; }
  echo "$answer" | tr -d '\n' | sed 's/$/\n/' >>"$LEDGER/acks"
}

finish() {
  echo "$SIGNALBOX_JOB" >>"$LEDGER/ends"
}
