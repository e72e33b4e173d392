#!/bin/sh
# The first program of a window: gets rid of everything that the terminal's server has handed on, then does what the file says.
#
#     sh window.sh FILE
#
# The file is private: it holds the variables of an agent, keys among them. As arguments they could be seen by every user.
# Somebody waits for the agent: nothing here starts a program. A value may look like a variable, and unsetting one too many does no harm.

# These also hand on functions, options and names of which they know no variable, and cannot let go of them.
if [ -n "${BASH_VERSION-}${ZSH_VERSION-}" ] && [ "${2-}" != clean ]; then
  exec /usr/bin/env -i TMUX="$TMUX" TMUX_PANE="$TMUX_PANE" TERM="$TERM" /bin/sh "$0" "$1" clean
fi
set -f
IFS='
'
for sb_name in $(export -p); do
  case $sb_name in 'export '*) ;; *) continue ;; esac
  sb_name=${sb_name#export }
  sb_name=${sb_name%%=*}
  case $sb_name in
    TMUX | TMUX_PANE | TERM | '' | *[!A-Za-z0-9_]*) ;;
    # One that the shell does not let go of must not end it.
    *) command unset "$sb_name" 2>/dev/null ;;
  esac
done
unset IFS sb_name
set +f
# Replaces this process by the shim.
. "$1"
