#!/usr/bin/env bash
# Scans one tag and prints the URLs on it. Requires jq, and socat or a netcat with -U (OpenBSD's).

path=${NFCD_SOCKET:-/run/nfcd/nfcd.sock}

connect() {
  if command -v socat >/dev/null; then exec socat - "UNIX-CONNECT:$path"; else exec nc -U "$path"; fi
}

fail() {
  echo "cannot connect to nfcd on $path, or it closed the connection" >&2
  exit 1
}

coproc NFCD { connect; }
pid=$NFCD_PID
trap 'kill "$pid" 2>/dev/null' EXIT
# Where nothing listens, the connection may have ended before its descriptors are used.
trap '' PIPE
[ -n "${NFCD[1]:-}" ] && exec {input}<&"${NFCD[0]}" {output}>&"${NFCD[1]}" || fail

# Requests and answers are JSON-RPC 2.0, one object a line.
echo '{"jsonrpc":"2.0","id":1,"method":"session.begin","params":{"kind":"ndef","invalidateAfterFirstRead":true}}' \
  >&"$output" 2>/dev/null

while read -r line <&"$input"; do
  case $(jq -r 'if .error then "error" else .method // "answer" end' <<<"$line") in
  error) jq -r '"request failed: " + .error.message' <<<"$line" >&2; exit 1 ;;
  session.didBecomeActive) echo "Hold a tag to the reader." >&2 ;;
  session.didDetectNDEFs)
    jq -r '.params.error // empty | .message + ": " + .detail' <<<"$line" >&2
    jq -r '.params.messages[].records[].decoded | select(.kind == "uri") | .uri' <<<"$line" ;;
  session.didInvalidate)
    # 204: the session ended because a message was read, as requested.
    jq -e '.params.code == 204' <<<"$line" >/dev/null && exit 0
    jq -r '.params | .message + ": " + .detail' <<<"$line" >&2; exit 1 ;;
  esac
done
fail
