#!/bin/sh
# A model for tests: does what the first word of the prompt says. $MODEL_KEY is its credential.
input=$(cat)
prompt=${input#*\"prompt\":\"}

answer() { # text, more fields
  case $input in
    *'"tool_choice":"required"'*) call clock '{}' ;;
    *'"tool_choice":{"type":"function","function":{"name":"clock"}}'*) call clock '{}' ;;
    *'"tool_choice":{"type":"function","function":{"name":"weather"}}'*) call weather '{}' ;;
    *'"max_tokens":3'*) printf '{"text":"%.12s","stop_reason":"length"}\n' "$1" ;;
    *) printf '{"text":"%s","usage":{"input":5,"output":2}%s}\n' "$1" "$2" ;;
  esac
}

call() { # tool, arguments
  printf '{"tool_calls":[{"id":"call-1","name":"%s","arguments":%s}]}\n' "$1" "$2"
}

# Up to the end of the field; texts of the tests have no quotes.
rest=${prompt%%\"*}
rest=${rest#* }
case $prompt in
  'say '*) answer "$rest" ;;
  'left '*) answer "$rest" ',"metadata":{"headers":{"x-ratelimit-limit-requests":1,"x-ratelimit-remaining-requests":0}}' ;;
  'call '*)
    case $input in
      *'"tool_choice":"none"'*) answer 'I may not.' ;;
      *) call "${rest%% *}" '{"city":"Lima"}' ;;
    esac ;;
  'refuse '*)
    status=${rest%% *}; rest=${rest#* }
    printf '{"error":{"message":"%s","status":%s}' "${rest#* }" "$status"
    [ "${rest%% *}" = 0 ] || printf ',"metadata":{"headers":{"retry-after":%s}}' "${rest%% *}"
    echo '}' ;;
  'page'*) echo '{"page":"<html>"}' ;;
  'nonsense'*) echo '{"text": nonsense}' ;;
  'break'*) printf '{"text":"it ends he' ;;
  'much'*) head -c 300000 /dev/zero ;;
  'plain'*) printf 'first line\nkey %s\n' "${#MODEL_KEY}" ;;
  'reveal plain'*) echo "it is $MODEL_KEY" ;;
  'reveal reply'*) answer "it is $MODEL_KEY" ;;
  'reveal escaped'*) answer "it is \\u006b${MODEL_KEY#k}" ;;
  'reveal call'*) call 'it is' "{\"key\":\"$MODEL_KEY\"}" ;;
  'reveal error'*) printf '{"error":"it is \\u006B%s"}\n' "${MODEL_KEY#k}" ;;
  'brace'*) echo '{"city": "Lima"}' ;;
  'silent'*) ;;
  'flood'*) while :; do echo 'still here, still here, still here' >&2; done ;;
  'fail'*) echo "$rest with $MODEL_KEY" >&2; exit 3 ;;
  'long complaint'*)
    i=0
    while [ $i -lt 2000 ]; do printf '%s' "$MODEL_KEY" >&2; i=$((i + 1)); done
    echo ' the end' >&2
    exit 1 ;;
  'environment'*) printf '%s|%s|%s' "${WEIR_OTHER_KEY-unset}" "${PATH:+path}" "$(pwd)" ;;
  'long'*)
    sleep 120 &
    echo $! > "${PID_FILE:-/dev/null}"
    wait ;;
  *) echo "what is '$rest'?" >&2; exit 2 ;;
esac
