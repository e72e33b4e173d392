# Asks the supervisor for what the command of an agent wants done, before Node is started: that takes longer than everything else.
#
#     sb_home=FOLDER; . ask.sh
#
# For the launcher, with the words of the command. Where the supervisor answers, this ends as the command would have ended. Otherwise it
# goes on, and the program does it itself: as the same process, and so under the same key, whatever was done by then is not done
# again. The supervisor believes nothing that is said here but which process asks; the kernel tells the rest.

sb_ask() {
  # Tests end commands at named places, which are in the program.
  [ -n "${SIGNALBOX_TOKEN-}" ] && [ -z "${SIGNALBOX_FAILPOINT+set}" ] || return 0
  case "${1-} ${2-}" in
    'move '* | 'task update' | 'task complete' | 'task stuck') ;;
    *) return 0 ;;
  esac
  sb_door=$sb_home/asks/door sb_reply=$sb_home/asks/$$
  [ -p "$sb_door" ] && read -r sb_pid sb_rest <"$sb_home/supervisor.pid" || return 0
  kill -0 "$sb_pid" && command -p mkfifo -m 600 "$sb_reply" || return 0
  # Open to read and to write: neither waits for somebody at the other end.
  command exec 8<>"$sb_reply" 9<>"$sb_door" || return 0
  # For when nobody answers. It has nothing of ours, so that nobody waits for it.
  { command -p sleep 0.25; echo late; } <&- >&8 9>&- &
  sb_late=$!
  echo $$ >&9
  read -r sb_line <&8
  if [ "$sb_line" = taken ]; then
    # From now on there is an end when the supervisor ends.
    command exec 7</dev/fd/8 8>&-
    kill "$sb_late"
    while IFS= read -r sb_line <&7; do
      case $sb_line in
        '1 '*) printf '%s\n' "${sb_line#??}" ;;
        '2 '*) printf '%s\n' "${sb_line#??}" >&3 ;;
        'code '*) exit "${sb_line#code }" ;;
      esac
    done
  fi
  # The program must know that it may have been heard.
  export SIGNALBOX_ASKED=1
  command exec 7<&- 8<&- 9<&-
  command -p rm -f "$sb_reply"
}

# What goes wrong here is not what the command is about.
sb_ask "$@" 3>&2 2>/dev/null
