#!/bin/sh
# Shows the terminals of agents to a person, and stays above what shows them.
#
#     SIGNALBOX_TERMINALS=agents sh look.sh TMUX ARGUMENT...
#
# The server, which agents can talk to, can have its client replaced by any program. Whatever that clears from its environment, it
# comes from this process, which carries the mark of the terminals: nobody takes it for the person who looks.

"$@"
exit $?
