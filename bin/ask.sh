# Asks the supervisor for what the command of an agent wants done, before Node is started: that takes longer than everything else.
#
#     sb_home=FOLDER; . ask.sh
#
# For the launcher, with the words of the command. Where the supervisor answers, this ends as the command would have ended. Otherwise it
# goes on, and the program does it itself: as the same process, and so under the same key, whatever was done by then is not done
# again. The supervisor believes nothing that is said here but which process asks; the kernel tells the rest.
#
# Whoever calls may have opened or closed whatever it likes: what is opened here is opened for one function, and then as it was before.

sb_ask() {
  # Tests end commands at named places, which are in the program.
  [ -n "${SIGNALBOX_TOKEN-}" ] && [ -z "${SIGNALBOX_FAILPOINT+set}" ] || return 0
  case "${1-} ${2-}" in
    'move '* | 'task update' | 'task complete' | 'task stuck') ;;
    *) return 0 ;;
  esac
  sb_door=$sb_home/asks/door sb_reply=$sb_home/asks/$$ sb_pid=$sb_home/supervisor.pid
  # In the place of a file there may be a pipe, for which one would wait.
  [ -p "$sb_door" ] && [ -f "$sb_pid" ] && read -r sb_pid sb_line <"$sb_pid" && kill -0 "$sb_pid" || return 0
  command -p mkfifo -m 600 "$sb_reply" || {
    # Left by one of the same number that was killed, or made and then not finished.
    command -p rm -f "$sb_reply"
    return 0
  }
  # The program must know that it may have been heard.
  export SIGNALBOX_ASKED=1
  # The first two are open to read and to write, so that none of them waits for somebody at the other end.
  sb_talk 9<>"$sb_door" 8<>"$sb_reply" 7<"$sb_reply"
  command -p rm -f "$sb_reply"
}

sb_talk() {
  # For when nobody answers. It has nothing of ours, so that nobody waits for it.
  { command -p sleep 0.25 >&- 8>&-; echo late; } <&- >&8 3>&- 4>&- 5>&- 6>&- 7<&- 9>&- &
  sb_late=$!
  # A door that is full takes nothing until somebody reads.
  printf '\n%s\n' $$ >&9 &
  sb_knock=$!
  read -r sb_line <&7
  # From now on there is an end when the supervisor ends.
  exec 8>&-
  kill -9 "$sb_late" "$sb_knock"
  wait "$sb_late" "$sb_knock"
  [ "$sb_line" = taken ] || return 0
  sb_out='' sb_err=''
  while IFS= read -r sb_line <&7; do
    case $sb_line in
      '1 '*) sb_out=$sb_out${sb_line#??}$sb_end ;;
      '2 '*) sb_err=$sb_err${sb_line#??}$sb_end ;;
      'code '*) sb_show "${sb_line#code }" ;;
    esac
  done
}

sb_end='
'

# What does not arrive, the program says again, and what is to be said about that.
sb_show() {
  trap '' PIPE
  if [ -z "$sb_out" ] || printf %s "$sb_out"; then
    printf %s "$sb_err" >&3
    exit "$1"
  fi
  trap - PIPE
}

# What goes wrong here is not what the command is about.
sb_ask "$@" 3>&2 2>/dev/null || :
