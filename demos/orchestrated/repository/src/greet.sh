#!/bin/sh
# Greets somebody: sh src/greet.sh NAME
echo "Hello, ${1:-you}!"
