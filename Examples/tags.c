// Scans a tag, writes a URI to one, or prints the URLs on all tags in the background. Requires Jansson.
//     cc tags.c -ljansson -o tags && ./tags scan | write URI | subscribe

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { LONGEST_LINE = 1 << 20, MOST_REQUESTS = 8 };

static const char *sent[MOST_REQUESTS] = {""};
static int count = 1;

static _Noreturn void fail(const char *text, const char *detail) {
    fprintf(stderr, "%s%s\n", text, detail);
    exit(1);
}

static const char *text(const json_t *object, const char *name) {
    const char *value = json_string_value(json_object_get(object, name));
    return value ? value : "";
}

// Sends a request: JSON-RPC 2.0, one object a line. Its answer has the same id.
static void send_request(int connection, const char *method, json_t *params) {
    json_t *request = json_pack("{s:s, s:i, s:s, s:o}", "jsonrpc", "2.0", "id", count, "method", method, "params", params);
    char *line = request ? json_dumps(request, JSON_COMPACT) : NULL;
    if (!line || count == MOST_REQUESTS || dprintf(connection, "%s\n", line) < 0) fail("cannot send ", method);
    sent[count++] = method;
    free(line);
    json_decref(request);
}

static void print(const json_t *params) {
    const json_t *error = json_object_get(params, "error"), *message, *record;
    size_t place, inner;
    if (json_is_object(error)) fprintf(stderr, "%s: %s\n", text(error, "message"), text(error, "detail"));
    json_array_foreach(json_object_get(params, "messages"), place, message)
        json_array_foreach(json_object_get(message, "records"), inner, record) {
            const json_t *decoded = json_object_get(record, "decoded");
            if (!strcmp(text(decoded, "kind"), "uri")) puts(text(decoded, "uri"));
        }
    fflush(stdout);
}

static int connect_to_nfcd(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = getenv("NFCD_SOCKET"), *folder = getenv("XDG_RUNTIME_DIR");
    size_t size = sizeof address.sun_path;
    int length = snprintf(address.sun_path, size, "%s/nfcd/nfcd.sock", folder ? folder : "");
    if (path || length >= (int)size || access(address.sun_path, F_OK))
        length = snprintf(address.sun_path, size, "%s", path ? path : "/run/nfcd/nfcd.sock");
    int connection = socket(AF_UNIX, SOCK_STREAM, 0);
    errno = length >= (int)size ? ENAMETOOLONG : 0;
    if (errno || connection < 0 || connect(connection, (struct sockaddr *)&address, sizeof address)) {
        fprintf(stderr, "cannot connect to nfcd on %s: %s; ", address.sun_path, strerror(errno));
        fail("is it running, and is this user in the group nfc?", "");
    }
    return connection;
}

int main(int arguments, char **argument) {
    const char *command = arguments > 1 ? argument[1] : "";
    bool is_scan = !strcmp(command, "scan"), is_write = !strcmp(command, "write");
    if ((!is_scan && !is_write && strcmp(command, "subscribe")) || arguments != (is_write ? 3 : 2))
        fail("usage: tags scan | write URI | subscribe", "");
    int connection = connect_to_nfcd();
    if (is_scan) send_request(connection, "session.begin", json_pack("{s:s, s:b}", "kind", "ndef", "invalidateAfterFirstRead", 1));
    else if (is_write) send_request(connection, "session.begin", json_pack("{s:s, s:s}", "kind", "ndef", "detection", "tags"));
    else send_request(connection, "background.subscribe", json_object());

    static char line[LONGEST_LINE + 2], session[64], tag[64];
    bool is_done = false;
    FILE *input = fdopen(connection, "r");
    while (input && fgets(line, sizeof line, input)) {
        json_t *message = strchr(line, '\n') ? json_loads(line, 0, NULL) : NULL;
        if (!message) fail("nfcd sent a line of more than 1 MiB, or one that is not JSON", "");
        const json_t *params = json_object_get(message, "params"), *error = json_object_get(message, "error");
        if (error) fail("request failed: ", text(error, "message"));
        json_int_t id = json_integer_value(json_object_get(message, "id"));
        const char *method = text(message, "method"), *answered = !*method && id > 0 && id < count ? sent[id] : "";
        if (!strcmp(method, "session.didBecomeActive")) {
            fprintf(stderr, "Hold a tag to the reader.\n");
        } else if (!strcmp(method, "session.didDetectNDEFs") || !strcmp(method, "background.didReadTag")) {
            print(params);
        } else if (!strcmp(method, "session.didDetectTags")) {
            snprintf(session, sizeof session, "%s", text(params, "session"));
            snprintf(tag, sizeof tag, "%s", text(json_array_get(json_object_get(params, "tags"), 0), "tag"));
            send_request(connection, "session.connect", json_pack("{s:s, s:s}", "session", session, "tag", tag));
        } else if (!strcmp(answered, "session.connect")) {
            json_t *records = json_pack("[{s:{s:s, s:s}}]", "decoded", "kind", "uri", "uri", argument[2]);
            send_request(connection, "tag.writeNDEF",
                         json_pack("{s:s, s:s, s:{s:o}}", "session", session, "tag", tag, "message", "records", records));
        } else if (!strcmp(answered, "tag.writeNDEF")) {
            is_done = true;
            send_request(connection, "session.invalidate", json_pack("{s:s}", "session", session));
        } else if (!strcmp(method, "session.didInvalidate")) {
            // 204: the session ended because a message was read, as requested.
            if (json_integer_value(json_object_get(params, "code")) == 204 || is_done) return 0;
            fail(text(params, "message"), text(params, "detail"));
        } // A later nfcd may have more notifications.
        json_decref(message);
    }
    // A program that stays connects again, with growing pauses, and begins a new session.
    fail("nfcd closed the connection", "");
}
