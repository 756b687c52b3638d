import NFCTypes
import RelayProtocol
import Testing

@testable import nfcd_relay

/// What the relay reports about itself, as text.
@Suite struct RelayTextTests {
    private func status(_ consumers: Int, backlog: Int, _ state: RelayStatus.State = .connected) -> RelayStatus.Result {
        let list = (0..<consumers).map { number in
            RelayStatus.Consumer(
                name: "c\(number)", kind: .webhook, state: state, backlog: number == 0 ? backlog : 0, oldest: nil,
                delivered: 0, parked: 0, lastError: nil, lastErrorTime: nil)
        }
        return RelayStatus.Result(version: "1", daemonConnected: true, daemonError: nil, consumers: list)
    }

    @Test func `the status line counts in singular and plural`() {
        #expect(Relay.line(status(0, backlog: 0)) == "0 consumers, 0 taps to deliver")
        #expect(Relay.line(status(1, backlog: 1)) == "1 consumer, 1 tap to deliver")
        #expect(Relay.line(status(2, backlog: 3)) == "2 consumers, 3 taps to deliver")
        #expect(Relay.line(status(1, backlog: 0, .held)) == "1 consumer, 0 taps to deliver; not connected: c0")
    }

    @Test(
        arguments: [
            (2...2, "1 tap of reader r is missing in the journal: number 2"),
            (2...4, "3 taps of reader r are missing in the journal: numbers 2 to 4"),
        ] as [(ClosedRange<Int64>, String)])
    func `lost taps are counted in singular and plural`(numbers: ClosedRange<Int64>, text: String) {
        #expect(LostTaps(epoch: "e", range: .init(reader: "r", numbers: numbers)).text == text)
    }

    @Test func `each metric is described once, before the samples of all consumers`() {
        let consumers = status(2, backlog: 1).consumers.map {
            ($0, ConsumerMachine.Counts(failed: [.refused: 2], ofOtherReaders: 4, tooOld: 3), 1.5)
        }
        let lines = MetricsText(isConnected: true, consumers).text.split(separator: "\n")
        #expect(lines.prefix(3).last == "nfcd_relay_daemon_connected 1")
        #expect(lines.count { $0.hasPrefix("# TYPE") } == 12 && lines.count { $0.hasPrefix("# HELP") } == 12)
        #expect(lines.contains(#"nfcd_relay_failed_total{consumer="c1",kind="webhook",reason="refused"} 2"#))
        #expect(lines.contains(#"nfcd_relay_oldest_seconds{consumer="c0",kind="webhook"} 1.5"#))
        #expect(lines.contains("# TYPE nfcd_relay_lost_total counter"))
        #expect(lines.contains("# TYPE nfcd_relay_passed_over_total counter"))
        #expect(lines.contains(#"nfcd_relay_other_readers_total{consumer="c1",kind="webhook"} 4"#))
        #expect(lines.contains(#"nfcd_relay_too_old_total{consumer="c0",kind="webhook"} 3"#))
    }
}
