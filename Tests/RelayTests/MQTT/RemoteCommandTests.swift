import Foundation
import Testing

@testable import nfcd_relay

@Suite struct RemoteCommandTests {
    private static let now = Date(timeIntervalSince1970: 1_767_323_045)

    private func judge(
        _ text: String, _ allowed: Set<RemoteCommand.Name> = [.metrics], isRetained: Bool = false
    ) -> CommandGate.Verdict {
        var gate = CommandGate(allowed)
        return gate.judge(Array(text.utf8), isRetained: isRetained, now: Self.now)
    }

    private func command(_ name: String, id: String = "1", expires: String = "2026-01-02T03:05:00Z") -> String {
        "{\"id\":\"\(id)\",\"command\":\"\(name)\",\"expires\":\"\(expires)\"}"
    }

    @Test func `an allowed command is executed`() {
        guard case .execute(.metrics, let command) = judge(command("metrics")) else {
            Issue.record("not executed")
            return
        }
        #expect(command.id == "1")
    }

    @Test(arguments: [
        ("{\"id\":\"1\",\"command\":\"identify\",\"expires\":\"2026-01-02T03:05:00Z\"}", "not allowed here"),
        ("{\"id\":\"1\",\"command\":\"reboot\",\"expires\":\"2026-01-02T03:05:00Z\"}", "not allowed here"),
        ("{\"id\":\"1\",\"command\":\"metrics\",\"expires\":\"2026-01-02T03:04:04Z\"}", "has expired"),
        ("{\"id\":\"1\",\"command\":\"metrics\",\"expires\":\"2027-01-02T03:04:04Z\"}", "more than an hour away"),
        ("{\"id\":\"1\",\"command\":\"metrics\",\"expires\":\"soon\"}", "is not a time"),
    ])
    func `a command that is not allowed, or too late, is answered with an error`(text: String, words: String) {
        guard case .refuse(let reply) = judge(text) else {
            Issue.record("not refused")
            return
        }
        #expect(reply.id == "1" && !reply.ok && reply.error?.contains(words) == true)
    }

    @Test(arguments: [
        "", "rubbish", "{}", "{\"id\":\"\",\"command\":\"metrics\",\"expires\":\"2026-01-02T03:05:00Z\"}",
        "{\"id\":\"" + String(repeating: "1", count: 65)
            + "\",\"command\":\"metrics\",\"expires\":\"2026-01-02T03:05:00Z\"}",
        "{\"id\":\"1\",\"command\":\"" + String(repeating: "m", count: 5_000)
            + "\",\"expires\":\"2026-01-02T03:05:00Z\"}",
    ])
    func `what is not a command is ignored`(text: String) {
        guard case .ignore = judge(text) else {
            Issue.record("not ignored")
            return
        }
    }

    @Test func `a retained command is ignored`() {
        guard case .ignore(let reason) = judge(command("metrics"), isRetained: true) else {
            Issue.record("not ignored")
            return
        }
        #expect(reason.contains("retained"))
    }

    @Test func `an id is used once`() {
        var gate = CommandGate([.metrics])
        _ = gate.judge(Array(command("metrics").utf8), isRetained: false, now: Self.now)
        guard case .refuse(let reply) = gate.judge(Array(command("metrics").utf8), isRetained: false, now: Self.now)
        else {
            Issue.record("executed twice")
            return
        }
        #expect(reply.error?.contains("used before") == true)
    }

    @Test func `thirty commands a minute are taken`() {
        var gate = CommandGate([.metrics])
        var ignored = 0
        for number in 0..<40 {
            let text = command("metrics", id: "\(number)")
            if case .ignore = gate.judge(Array(text.utf8), isRetained: false, now: Self.now) { ignored += 1 }
        }
        #expect(ignored == 10)
        guard case .execute = gate.judge(Array(command("metrics", id: "x").utf8), isRetained: false, now: Self.now + 61)
        else {
            // The command has expired by then.
            return
        }
    }

    @Test(.needsMosquitto, .timeLimit(.minutes(20))) func `a command over MQTT is answered on the topic of replies`()
        async throws
    {
        let broker = try await TestBroker.mosquitto()
        let subscriber = await TestSubscriber(broker, ["nfcd/lab/desk/reply"])
        let relay = RunningSink(broker) { $0.commands = [.metrics] }
        _ = await relay.connected()
        let expires = Date().addingTimeInterval(60).formatted(.iso8601)
        for name in ["metrics", "identify"] {
            _ = await subscriber.publish("nfcd/lab/desk/cmd", command(name, id: name, expires: expires))
        }
        let replies = await subscriber.messages { $0.text.contains("\"id\":\"identify\"") }
        #expect(replies.first?.text == "{\"id\":\"metrics\",\"ok\":true,\"text\":\"nfcd_relay_backlog 0\\n\"}")
        #expect(replies.last?.text.contains("\"ok\":false") == true)
        await relay.stop()
    }
}
