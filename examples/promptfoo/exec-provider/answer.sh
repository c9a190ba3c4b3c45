#!/bin/sh
# The last three arguments are the prompt, the provider's options and the context of the test, the latter two as JSON.
twice=
if [ "$1" = --twice ]; then twice=yes; shift; fi
prompt=$1 options=$2 context=$3
word=$(printf %s "$context" | sed 's/.*"word":"\([^"]*\)".*/\1/' | tr a-z A-Z)
mark=$(printf %s "$options" | sed -n 's/.*"mark":"\([^"]*\)".*/\1/p')
echo "$word${twice:+ $word}${mark:-!} (asked: $prompt)"
