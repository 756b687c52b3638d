// Scans a tag, writes a URI to one, or prints the URLs on all tags in the background. Requires Java 16 and Gson.
//     java -cp gson.jar Tags.java scan | write URI | subscribe

import com.google.gson.*;
import java.io.*;
import java.net.*;
import java.nio.channels.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;

public class Tags {
    static final int LONGEST_LINE = 1 << 20;
    static final List<String> sent = new ArrayList<>(List.of(""));
    static OutputStream output;

    public static void main(String[] arguments) throws IOException {
        String command = arguments.length > 0 ? arguments[0] : "";
        if (arguments.length != (command.equals("write") ? 2 : 1)) fail("usage: Tags scan | write URI | subscribe");
        String path = socketPath();
        SocketChannel connection = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            connection.connect(UnixDomainSocketAddress.of(path));
        } catch (IOException error) {
            fail("cannot connect to nfcd on " + path + ": " + error.getMessage() + "; is it running, and is this user in the group nfc?");
        }
        InputStream input = new BufferedInputStream(Channels.newInputStream(connection));
        output = Channels.newOutputStream(connection);
        switch (command) {
            case "scan" -> send("session.begin", Map.of("kind", "ndef", "invalidateAfterFirstRead", true));
            case "write" -> send("session.begin", Map.of("kind", "ndef", "detection", "tags"));
            case "subscribe" -> send("background.subscribe", Map.of());
            default -> fail("usage: Tags scan | write URI | subscribe");
        }
        String session = "", tag = "";
        boolean isDone = false;
        for (String line; (line = readLine(input)) != null; ) {
            JsonObject message = JsonParser.parseString(line).getAsJsonObject();
            if (message.has("error")) fail("request failed: " + text(message.getAsJsonObject("error"), "message"));
            JsonObject params = message.has("params") ? message.getAsJsonObject("params") : new JsonObject();
            String answered = message.has("method") ? "" : sent.get(message.get("id").getAsInt());
            switch (message.has("method") ? text(message, "method") : answered) {
                case "session.didBecomeActive" -> System.err.println("Hold a tag to the reader.");
                case "session.didDetectNDEFs", "background.didReadTag" -> print(params);
                case "session.didDetectTags" -> {
                    session = text(params, "session");
                    tag = text(params.getAsJsonArray("tags").get(0).getAsJsonObject(), "tag");
                    send("session.connect", Map.of("session", session, "tag", tag));
                }
                case "session.connect" -> {
                    var records = List.of(Map.of("decoded", Map.of("kind", "uri", "uri", arguments[1])));
                    send("tag.writeNDEF", Map.of("session", session, "tag", tag, "message", Map.of("records", records)));
                }
                case "tag.writeNDEF" -> {
                    isDone = true;
                    send("session.invalidate", Map.of("session", session));
                }
                case "session.didInvalidate" -> {
                    // 204: the session ended because a message was read, as requested.
                    if (params.get("code").getAsInt() == 204 || isDone) System.exit(0);
                    fail(text(params, "message") + ": " + text(params, "detail"));
                }
                default -> { } // A later nfcd may have more notifications.
            }
        }
        // A program that stays connects again, with growing pauses, and begins a new session.
        fail("nfcd closed the connection");
    }

    /** Sends a request: JSON-RPC 2.0, one object a line. Its answer has the same id. */
    static void send(String method, Map<String, ?> params) throws IOException {
        var request = Map.of("jsonrpc", "2.0", "id", sent.size(), "method", method, "params", params);
        sent.add(method);
        output.write((new Gson().toJson(request) + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Reads a line, which has at most 1 MiB; null at the end. */
    static String readLine(InputStream input) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int one; (one = input.read()) != '\n'; line.write(one)) {
            if (one < 0) return null;
            if (line.size() == LONGEST_LINE) fail("nfcd sent a line of more than 1 MiB");
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    static void print(JsonObject params) {
        if (params.get("error") instanceof JsonObject error) System.err.println(text(error, "message") + ": " + text(error, "detail"));
        for (JsonElement message : params.getAsJsonArray("messages"))
            for (JsonElement record : message.getAsJsonObject().getAsJsonArray("records"))
                if (record.getAsJsonObject().get("decoded") instanceof JsonObject decoded && text(decoded, "kind").equals("uri"))
                    System.out.println(text(decoded, "uri"));
    }

    static String text(JsonObject object, String name) { return object.get(name).getAsString(); }

    static String socketPath() {
        String path = System.getenv("NFCD_SOCKET"), user = System.getenv("XDG_RUNTIME_DIR") + "/nfcd/nfcd.sock";
        return path != null ? path : Files.exists(Path.of(user)) ? user : "/run/nfcd/nfcd.sock";
    }

    static void fail(String text) {
        System.err.println(text);
        System.exit(1);
    }
}
