import Foundation
import Testing

/// The code for receivers in the guide about webhooks, with the vectors of Standard Webhooks.
@Suite(.timeLimit(.minutes(20)))
struct `The guide about webhooks` {
    /// A request, and whether it is accepted.
    struct Request: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var id = "0192f0c1-2b00-7000-8000-000000000001"
        var timestamp = "1700000000"
        var body = Array("{}".utf8)
        var signature = first
        var secrets = [firstSecret]
        var now = 1_700_000_000
        let isAccepted: Bool

        static let firstSecret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"
        static let secondSecret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
        static let first = "v1,jgDwAQIpfCxRLY09iTIx/jDe2Pre/ECpIr5WKTFURbE="
        static let rotated = [
            "v1,qZKmea6+Sb7N5Y/h0lQQzqR2vs9fBAHu80NwQ9HH5Y8=", "v1,DzdMW59esz4WuM+h/f9UFwN8sXB7wWa8536uW+HDV6s=",
        ]
        static let event = Array(
            (#"{"specversion":"1.0","id":"0192f0c1-2b00-7000-8000-000000000002","source":"/nfcd/site-a/kiosk-1/reader-0","#
                + #""type":"org.nfcd.tap.read","time":"2025-01-01T00:00:00Z","subject":"046E11044D5A80","#
                + #""datacontenttype":"application/json","data":{"seq":1}}"#).utf8)
        static let foreign: [UInt8] = [
            0x7B, 0x22, 0x74, 0x65, 0x78, 0x74, 0x22, 0x3A, 0x22, 0x47, 0x72, 0xC3, 0xBC, 0xC3, 0x9F, 0x65, 0x20, 0xF0,
            0x9F, 0x91, 0x8B, 0x22, 0x2C, 0x22, 0x6E, 0x22, 0x3A, 0x31, 0x2E, 0x35, 0x7D, 0x0A,
        ]

        /// Its form for the programs.
        var json: String {
            get throws {
                let object: [String: Any] = [
                    "headers": [
                        "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature,
                    ], "body": Data(body).base64EncodedString(), "secrets": secrets, "now": now,
                ]
                return String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
            }
        }
    }

    static let requests: [Request] = [
        Request(testDescription: "vector 1", isAccepted: true),
        Request(
            testDescription: "vector 2", id: "0192f0c1-2b00-7000-8000-000000000002", timestamp: "1735689600",
            body: Request.event, signature: Request.rotated[0], secrets: [Request.secondSecret], now: 1_735_689_600,
            isAccepted: true),
        Request(
            testDescription: "vector 2, signed with two secrets, of which the receiver has the old one",
            id: "0192f0c1-2b00-7000-8000-000000000002", timestamp: "1735689600", body: Request.event,
            signature: Request.rotated.joined(separator: " "), now: 1_735_689_600, isAccepted: true),
        Request(
            testDescription: "vector 3, not ASCII", id: "msg_3", timestamp: "2147483648", body: Request.foreign,
            signature: "v1,t3wxWeOhhzJ8dFfHnl9RenRvD9koakcQzfkznPMJfhs=",
            secrets: [
                "whsec_//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eDf3t3c29rZ2NfW1dTT0tHQz87NzMvKycjHxsXEw8LBwA=="
            ], now: 2_147_483_648, isAccepted: true),
        Request(testDescription: "5 minutes late", now: 1_700_000_300, isAccepted: true),
        Request(testDescription: "later than 5 minutes", now: 1_700_000_301, isAccepted: false),
        Request(testDescription: "from the future", now: 1_699_999_699, isAccepted: false),
        Request(testDescription: "another body", body: Array("{ }".utf8), isAccepted: false),
        Request(testDescription: "another id", id: "0192f0c1-2b00-7000-8000-000000000009", isAccepted: false),
        Request(testDescription: "another timestamp", timestamp: "1700000001", isAccepted: false),
        Request(testDescription: "no number as timestamp", timestamp: "soon", isAccepted: false),
        Request(testDescription: "another secret", secrets: [Request.secondSecret], isAccepted: false),
        Request(testDescription: "no signature", signature: "", isAccepted: false),
        Request(
            testDescription: "a signature of another version", signature: "v2" + Request.first.dropFirst(2),
            isAccepted: false),
        Request(testDescription: "no base64", signature: "v1,??", isAccepted: false),
    ]

    /// The file with the code of the guide, and the program that calls it, by language.
    private static let languages: [String: (program: String, file: String, caller: String)] = [
        "python": (
            "python3", "verify.py",
            """
            import base64, json, sys
            from verify import verify
            for line in sys.stdin:
                request = json.loads(line)
                try:
                    print(verify(request["headers"], base64.b64decode(request["body"]), request["secrets"], now=request["now"]))
                except ValueError:
                    print("refused")
            """
        ),
        "js": (
            "node", "verify.mjs",
            """
            import { readFileSync } from "node:fs";
            import { verify } from "./verify.mjs";
            for (const line of readFileSync(0, "utf8").split("\\n").filter(line => line)) {
                const request = JSON.parse(line);
                try {
                    const body = Buffer.from(request.body, "base64");
                    console.log(verify(request.headers, body, request.secrets, { now: request.now }));
                } catch {
                    console.log("refused");
                }
            }
            """
        ),
    ]

    @Test(arguments: ["python", "js"])
    func `accepts what was signed, and nothing else`(language: String) async throws {
        let (program, file, caller) = try #require(Self.languages[language])
        guard try await Programs.found([program]) else { return }
        let scratch = try Scratch()
        _ = try scratch.file(file, try #require(try Document("Docs/guides/webhooks.md").blocks(language).first))
        let main = try scratch.file("main.\(file.split(separator: ".")[1])", caller)
        let input = try Self.requests.map { try $0.json }.joined(separator: "\n") + "\n"
        let finished = try await run([program, main], input: input)
        #expect(finished.errors == [])
        #expect(finished.output.count == Self.requests.count)
        for (request, answer) in zip(Self.requests, finished.output) {
            #expect(answer == (request.isAccepted ? request.id : "refused"), "\(request.testDescription)")
        }
    }
}
