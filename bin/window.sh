#!/bin/sh
# The first program of a window: gets rid of everything that the terminal's server has handed on, then does what the file says.
#
#     sh window.sh FILE
#
# The file is private: it holds the variables of an agent, keys among them. As arguments they could be seen by every user.

[ "${2-}" = clean ] ||
  exec /usr/bin/env -i TMUX="$TMUX" TMUX_PANE="$TMUX_PANE" TERM="$TERM" /bin/sh "$0" "$1" clean
# Replaces this process by the shim.
. "$1"
