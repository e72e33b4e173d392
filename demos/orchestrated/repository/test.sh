#!/bin/sh
# sh test.sh: runs every test
for file in test/*.test.sh; do sh "$file" || exit 1; done
echo "all tests pass"
