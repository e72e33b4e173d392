#!/bin/sh
# Greets somebody: sh greet.sh NAME
echo "Hello, ${1:-you}!"
