#!/bin/sh
# Runs one program, at most once, and writes down how it ended, for whoever is there to read it.
#
#     SIGNALBOX_JOB=ID sh shim.sh FOLDER EXITS POKES STDIN PROGRAM [ARGUMENT...]
#
# It leads a session of its own and has the environment and the working folder that the program gets. Whatever is exported to
# it is exported to the program, so its own variables have names that nobody else uses, and nothing here changes PATH or IFS.
# It ends as the program ended: whoever started it then knows from the kernel what the folder says.

sb_folder=$1 sb_exits=$2 sb_pokes=$3 sb_stdin=$4 sb_fail=${SIGNALBOX_SHIM_FAILPOINT-}
shift 4
unset SIGNALBOX_SHIM_FAILPOINT

# Tests end the shim at named places.
sb_point() { [ "$sb_fail" != "$1" ] || kill -9 $$; }

# What somebody has put in the way, a pipe that nobody reads for example, must not hold us up.
sb_say() {
  if [ -e "$sb_folder/$2" ] || [ -h "$sb_folder/$2" ]; then command -p rm -rf "$sb_folder/$2"; fi
  echo "$1" >"$sb_folder/$2"
}

# Ignored, so that mkdir and mv are not killed half-way either.
trap '' HUP INT QUIT TERM USR1 USR2 ALRM PIPE
sb_mask=$(umask)
umask 077

# Whoever makes the folder may start the program; everybody else leaves.
command -p mkdir "$sb_folder/claim" || exit 0
sb_point after-claim

# A pid alone may be another process by now. With its start time and the boot of the machine it may not.
if read -r sb_start </proc/$$/stat; then
  sb_start=${sb_start##*) }
  # The name in parentheses was field 2; the start time is field 22.
  for sb_skip in 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21; do sb_start=${sb_start#* }; done
  sb_start=${sb_start%% *}
  read -r sb_boot </proc/sys/kernel/random/boot_id
else
  sb_start=$(LC_ALL=C TZ=UTC0 command -p ps -o lstart= -p $$)
  sb_boot=$(command -p sysctl -n kern.bootsessionuuid)
fi
# Nothing runs that cannot be found again.
printf '%s\n' "$$" "$sb_start" "$sb_boot" >"$sb_folder/pid.new" || exit 1
command -p mv "$sb_folder/pid.new" "$sb_folder/pid" || exit 1
# Tells whoever started us that the claim is ours. The program does not get this pipe.
echo claimed
exec >/dev/null
sb_point after-pid

# Caught, not ignored: the program starts with the defaults, and a signal to the group ends it while we live to see how.
trap : HUP INT QUIT TERM USR1 USR2 ALRM PIPE
(umask "$sb_mask" && exec "$@") >>"$sb_folder/out.log" 2>&1 <"$sb_stdin"
sb_code=$?
trap '' HUP INT QUIT TERM USR1 USR2 ALRM PIPE

sb_point before-exit
sb_say "$sb_code" exit.new && command -p mv -f "$sb_folder/exit.new" "$sb_folder/exit"
sb_point after-exit
sb_say "$sb_code" exit.new && command -p mv -f "$sb_folder/exit.new" "$sb_exits/$SIGNALBOX_JOB"
# Moved there and not written: others could wait in that place, too.
sb_say "" exit.new && command -p mv -f "$sb_folder/exit.new" "$sb_pokes/now"
exit "$sb_code"
