#!/bin/sh
# sh test/greet.test.sh
is() { [ "$1" = "$2" ] || { echo "FAIL $0: \"$1\" is not \"$2\""; exit 1; }; }
is "$(sh src/greet.sh Ada)" "Hello, Ada!"
is "$(sh src/greet.sh)" "Hello, you!"
