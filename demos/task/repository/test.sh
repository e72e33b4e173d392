#!/bin/sh
# The tests of this small project: sh test.sh
[ "$(sh greet.sh Ada)" = "Hello, Ada!" ] || { echo "a plain greeting is broken"; exit 1; }
echo "all tests pass"
