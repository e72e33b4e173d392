#!/bin/sh
# Runs one program, at most once, and writes down how it ended, for whoever is there to read it.
#
#     SIGNALBOX_JOB=ID sh shim.sh FOLDER EXITS STDIN log|terminal PROGRAM [ARGUMENT...]
#
# The program writes into a log in the folder, or to the terminal that we were started in; there it also reads, where no STDIN is given.
# It leads a session of its own and has the environment and the working folder that the program gets. Whatever is exported to
# it is exported to the program, so its own variables have names that nobody else uses, and nothing here changes PATH or IFS.
# It ends as the program ended: whoever started it then knows from the kernel what the folder says.

sb_folder=$1 sb_exits=$2 sb_stdin=$3 sb_out=$4 sb_fail=${SIGNALBOX_SHIM_FAILPOINT-} sb_hup=
shift 4
unset SIGNALBOX_SHIM_FAILPOINT

# Tests end the shim at named places.
sb_point() { [ "$sb_fail" != "$1" ] || kill -9 $$; }

# What somebody has put in the way, a pipe that nobody reads for example, must not hold us up.
sb_say() {
  if [ -e "$sb_folder/$2" ] || [ -h "$sb_folder/$2" ]; then command -p rm -rf "$sb_folder/$2"; fi
  echo "$1" >"$sb_folder/$2"
}

# When a process began, by its pid.
sb_start_of() {
  if read -r sb_start <"/proc/$1/stat"; then
    sb_start=${sb_start##*) }
    # The name in parentheses was field 2; the start time is field 22.
    for sb_skip in 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21; do sb_start=${sb_start#* }; done
    sb_start=${sb_start%% *}
  else
    sb_start=$(LC_ALL=C TZ=UTC0 command -p ps -o lstart= -p "$1")
  fi
}

# Ignored, so that mv is not killed half-way either.
trap '' HUP INT QUIT TERM USR1 USR2 ALRM PIPE
sb_mask=$(umask)
umask 077

# Whoever makes the file may start the program; everybody else leaves. The shell makes it only where there is nothing, and without a
# process of its own; what somebody has put there, a pipe for example, it would open.
if [ -e "$sb_folder/claim" ] || [ -h "$sb_folder/claim" ]; then exit 0; fi
set -C
printf '' >"$sb_folder/claim" || exit 0
set +C
sb_point after-claim

# Which window this is, and of which server: TMUX is the path of its socket, its pid and a number.
if [ "$sb_out" = terminal ]; then
  sb_server=${TMUX%,*} sb_server=${sb_server##*,}
  sb_start_of "$sb_server"
  printf '%s\n' "$TMUX_PANE" "$sb_server" "$sb_start" >"$sb_folder/terminal" || exit 1
fi
# A pid alone may be another process by now. With its start time and the boot of the machine it may not.
sb_start_of $$
read -r sb_boot </proc/sys/kernel/random/boot_id || sb_boot=$(command -p sysctl -n kern.bootsessionuuid)
# Nothing runs that cannot be found again. One write: whoever reads finds all of it, or a file that does not end with a line.
printf '%s\n' "$$" "$sb_start" "$sb_boot" >"$sb_folder/pid" || exit 1
# Tells whoever started us that the claim is ours. The program does not get this pipe.
if [ "$sb_out" = log ]; then
  echo claimed
  exec >/dev/null
fi
sb_point after-pid

# Caught, not ignored: the program starts with the defaults, and a signal to the group ends it while we live to see how.
trap : INT QUIT TERM USR1 USR2 ALRM PIPE
trap sb_hup=1 HUP
if [ "$sb_out" = log ]; then
  (umask "$sb_mask" && exec "$@") >>"$sb_folder/out.log" 2>&1 <"$sb_stdin"
elif [ -n "$sb_stdin" ]; then
  (umask "$sb_mask" && exec "$@") <"$sb_stdin"
else
  (umask "$sb_mask" && exec "$@")
fi
sb_code=$?
trap '' HUP INT QUIT TERM USR1 USR2 ALRM PIPE

sb_point before-exit
# Its terminal went away: whoever reads the status may want to know.
if [ -n "$sb_hup" ] && [ "$sb_out" = terminal ]; then sb_say 1 hup; fi
# One write, which nobody reads before we are gone: half of it is no status.
sb_say "$sb_code" exit
sb_point after-exit
# The server of terminals forgets what the kernel has not handed to it yet when it hears of our end. On a busy machine that takes a moment.
if [ "$sb_out" = terminal ]; then command -p sleep 0.1; fi
# Wakes whoever watches that folder. Moved there and not written: others could wait in that place, too.
sb_say "$sb_code" exit.new && command -p mv -f "$sb_folder/exit.new" "$sb_exits/$SIGNALBOX_JOB"
exit "$sb_code"
