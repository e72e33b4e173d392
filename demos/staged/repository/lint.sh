#!/bin/sh
# sh lint.sh: can every script be read?
for file in src/*.sh test/*.sh; do sh -n "$file" || exit 1; done
