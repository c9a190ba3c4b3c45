#!/bin/sh
# A very small model: knows two capitals, and sometimes how to complain.
input=$(cat)
case $input in
  *France*) echo '{"text": "Paris", "usage": {"input": 12, "output": 1}}' ;;
  *Peru*) echo 'Lima' ;; # a plain text is an answer, too
  *hurry*) echo '{"error": "too many requests", "metadata": {"headers": {"retry-after": 2}}}' ;;
  *) echo 'I do not know.' ;;
esac
