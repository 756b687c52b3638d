// Scans a tag, writes a URI to one, or prints the URLs on all tags in the background. Requires the crate serde_json.
//     cargo run scan | write URI | subscribe

use serde_json::{json, Value};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::{env, path::Path, process::exit};

const LONGEST_LINE: u64 = 1 << 20;
const USAGE: &str = "usage: tags scan | write URI | subscribe";

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (method, params) = match words[..] {
        ["scan"] => ("session.begin", json!({"kind": "ndef", "invalidateAfterFirstRead": true})),
        ["write", _] => ("session.begin", json!({"kind": "ndef", "detection": "tags"})),
        ["subscribe"] => ("background.subscribe", json!({})),
        _ => fail(USAGE),
    };
    let path = socket_path();
    let mut output = UnixStream::connect(&path).unwrap_or_else(|error| {
        fail(&format!("cannot connect to nfcd on {path}: {error}; is it running, and is this user in the group nfc?"))
    });
    let mut input = BufReader::new(output.try_clone().unwrap_or_else(|error| fail(&error.to_string())));
    // Requests and answers are JSON-RPC 2.0, one object a line. An answer has the id of its request.
    let mut sent = vec![String::new()];
    let mut send = |sent: &mut Vec<String>, method: &str, params: Value| {
        let request = json!({"jsonrpc": "2.0", "id": sent.len(), "method": method, "params": params});
        sent.push(method.to_string());
        writeln!(output, "{request}").unwrap_or_else(|_| fail("nfcd closed the connection"));
    };
    send(&mut sent, method, params);
    let (mut place, mut is_done) = (json!({}), false);
    while let Some(line) = read_line(&mut input) {
        let message: Value = serde_json::from_slice(&line).unwrap_or_else(|_| fail("nfcd sent a line that is not JSON"));
        if let Some(error) = message.get("error") {
            fail(&format!("request failed: {}", text(&error["message"])));
        }
        let answered = message["id"].as_u64().and_then(|id| sent.get(id as usize)).map_or("", String::as_str);
        let params = &message["params"];
        match message["method"].as_str().unwrap_or(answered) {
            "session.didBecomeActive" => eprintln!("Hold a tag to the reader."),
            "session.didDetectNDEFs" | "background.didReadTag" => print(params),
            "session.didDetectTags" => {
                place = json!({"session": params["session"], "tag": params["tags"][0]["tag"]});
                send(&mut sent, "session.connect", place.clone());
            }
            "session.connect" => {
                place["message"] = json!({"records": [{"decoded": {"kind": "uri", "uri": words[1]}}]});
                send(&mut sent, "tag.writeNDEF", place.clone());
            }
            "tag.writeNDEF" => {
                is_done = true;
                send(&mut sent, "session.invalidate", json!({"session": place["session"]}));
            }
            // 204: the session ended because a message was read, as requested.
            "session.didInvalidate" if params["code"] == 204 || is_done => return,
            "session.didInvalidate" => fail(&format!("{}: {}", text(&params["message"]), text(&params["detail"]))),
            _ => {} // A later nfcd may have more notifications.
        }
    }
    // A program that stays connects again, with growing pauses, and begins a new session.
    fail("nfcd closed the connection, or sent a line of more than 1 MiB")
}

/// Reads a line, which has at most 1 MiB; none at the end.
fn read_line(input: &mut BufReader<UnixStream>) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    input.take(LONGEST_LINE + 1).read_until(b'\n', &mut line).ok()?;
    (line.last() == Some(&b'\n')).then_some(line)
}

fn print(params: &Value) {
    if let Some(error) = params.get("error").filter(|error| error.is_object()) {
        eprintln!("{}: {}", text(&error["message"]), text(&error["detail"]));
    }
    let messages = params["messages"].as_array().into_iter().flatten();
    for record in messages.filter_map(|message| message["records"].as_array()).flatten() {
        if record["decoded"]["kind"] == "uri" {
            println!("{}", text(&record["decoded"]["uri"]));
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn socket_path() -> String {
    let user = env::var("XDG_RUNTIME_DIR").unwrap_or_default() + "/nfcd/nfcd.sock";
    let shared = if Path::new(&user).exists() { user } else { "/run/nfcd/nfcd.sock".to_string() };
    env::var("NFCD_SOCKET").unwrap_or(shared)
}

fn fail(message: &str) -> ! {
    eprintln!("{message}");
    exit(1)
}
