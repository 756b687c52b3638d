// Scans a tag, writes a URI to one, or prints the URLs on all tags in the background. Requires only Go's standard library.
//
//	go run tags.go scan | write URI | subscribe
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
)

type object = map[string]any
type message struct {
	ID     int
	Method string
	Params struct {
		Code                     int
		Session, Message, Detail string
		Error                    *struct{ Message, Detail string }
		Tags                     []struct{ Tag string }
		Messages                 []struct {
			Records []struct{ Decoded struct{ Kind, URI string } }
		}
	}
	Error *struct{ Message string }
}

func main() {
	if len(os.Args) < 2 || (os.Args[1] == "write") != (len(os.Args) == 3) {
		fail("usage: tags scan | write URI | subscribe")
	}
	path := socketPath()
	connection, err := net.Dial("unix", path)
	if err != nil {
		fail("cannot connect to nfcd on %s: %v; is it running, and is this user in the group nfc?", path, err)
	}
	// Requests and answers are JSON-RPC 2.0, one object a line. An answer has the id of its request.
	sent := []string{""}
	send := func(method string, params object) {
		line, _ := json.Marshal(object{"jsonrpc": "2.0", "id": len(sent), "method": method, "params": params})
		sent = append(sent, method)
		connection.Write(append(line, '\n'))
	}
	switch os.Args[1] {
	case "scan":
		send("session.begin", object{"kind": "ndef", "invalidateAfterFirstRead": true})
	case "write":
		send("session.begin", object{"kind": "ndef", "detection": "tags"})
	case "subscribe":
		send("background.subscribe", object{})
	}
	lines := bufio.NewScanner(connection)
	lines.Buffer(nil, 1<<20+1) // A line has at most 1 MiB. Without this, the limit is 64 KiB.
	place, isDone := object{}, false
	for lines.Scan() {
		var got message
		json.Unmarshal(lines.Bytes(), &got)
		params := got.Params
		switch {
		case got.Error != nil:
			fail("request failed: %s", got.Error.Message)
		case got.Method == "session.didBecomeActive":
			fmt.Fprintln(os.Stderr, "Hold a tag to the reader.")
		case got.Method == "session.didDetectNDEFs" || got.Method == "background.didReadTag":
			if params.Error != nil {
				fmt.Fprintf(os.Stderr, "%s: %s\n", params.Error.Message, params.Error.Detail)
			}
			for _, ndef := range params.Messages {
				for _, record := range ndef.Records {
					if record.Decoded.Kind == "uri" {
						fmt.Println(record.Decoded.URI)
					}
				}
			}
		case got.Method == "session.didDetectTags":
			place = object{"session": params.Session, "tag": params.Tags[0].Tag}
			send("session.connect", place)
		case got.Method == "session.didInvalidate":
			// 204: the session ended because a message was read, as requested.
			if params.Code != 204 && !isDone {
				fail("%s: %s", params.Message, params.Detail)
			}
			return
		case got.Method != "": // A later nfcd may have more notifications.
		case sent[got.ID] == "session.connect":
			record := object{"decoded": object{"kind": "uri", "uri": os.Args[2]}}
			place["message"] = object{"records": []object{record}}
			send("tag.writeNDEF", place)
		case sent[got.ID] == "tag.writeNDEF":
			isDone = true
			send("session.invalidate", object{"session": place["session"]})
		}
	}
	// A program that stays connects again, with growing pauses, and begins a new session.
	fail("nfcd closed the connection, or sent a line of more than 1 MiB")
}

func socketPath() string {
	if path := os.Getenv("NFCD_SOCKET"); path != "" {
		return path
	}
	path := os.Getenv("XDG_RUNTIME_DIR") + "/nfcd/nfcd.sock"
	if _, err := os.Stat(path); err == nil {
		return path
	}
	return "/run/nfcd/nfcd.sock"
}

func fail(format string, values ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
	os.Exit(1)
}
