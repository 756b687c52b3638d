import CommandSupport
import NFCProtocol
import NFCTypes
import Testing

@testable import nfcd_relay

/// A consumer that requires a proof.
@Suite struct `A consumer that requires a proof` {
    private typealias Machine = ConsumerMachine

    private static let statuses: [TapProof.Status?] =
        [nil] + TapProof.Status.allCases.filter { $0 != .proven }.map { Optional($0) }

    private func tap(_ sequence: Int64, _ status: TapProof.Status?, number: Int64? = nil) -> RecordedTap {
        TapFactory.tap(sequence, number, proof: status.map { TapProof($0, .sun, profile: "door", counter: 5) })
    }

    /// A machine whose reader has these taps, and what it does with them.
    private func started(
        _ taps: [RecordedTap], requires: Bool = true, _ change: (inout Machine) -> Void = { _ in }
    ) -> (Machine, [Machine.Action]) {
        var limits = Machine.Limits()
        (limits.start, limits.lane.eligibility.requiresProof) = (.oldest, requires)
        var machine = Machine(nil, parked: 0, limits: limits, now: .zero) { 1 }
        _ = machine.journalOpened(TapFactory.epoch, newest: 0, now: .zero)
        change(&machine)
        let last = taps.last
        _ = machine.journalHas(
            [KnownTap(reader: "reader-0", sequence: last?.sequence ?? 0, readerSequence: last?.readerSequence ?? 0)],
            through: last?.sequence ?? 0, now: .zero)
        let page = TapsList.Result(epoch: TapFactory.epoch, taps: taps, hasMore: false)
        let actions = machine.fetched(page, reader: "reader-0", now: .zero)
        return (machine, actions)
    }

    @Test func `gets the proven taps alone, in order, and acknowledges the others`() {
        var (machine, actions) = started([
            tap(1, nil), tap(2, .proven), tap(3, .replayed), tap(4, .failed), tap(5, .proven), tap(6, nil),
        ])
        #expect(actions.deliveries == [2])
        #expect(machine.acknowledged == 1 && machine.counts.passedOver == 1)
        #expect(machine.delivered("reader-0", .delivered(""), now: .zero).deliveries == [5])
        #expect(machine.delivered("reader-0", .delivered(""), now: .zero).deliveries.isEmpty)
        #expect(machine.acknowledged == 6 && machine.backlog == 0)
        #expect(machine.counts.passedOver == 4 && machine.counts.delivered == 2 && machine.counts.lost == 0)
    }

    @Test(arguments: Self.statuses)
    func `gets nothing of a tap with any other status`(status: TapProof.Status?) {
        let (machine, actions) = started([tap(1, status)])
        #expect(actions.deliveries.isEmpty && machine.acknowledged == 1)
        let (_, all) = started([tap(1, status)], requires: false)
        #expect(all.deliveries == [1])
    }

    @Test func `passes over what it does not get while it is paused`() {
        let (machine, actions) = started([tap(1, nil), tap(2, nil)]) { _ = $0.pause(true, now: .zero) }
        #expect(actions.deliveries.isEmpty && machine.acknowledged == 2)
    }

    @Test func `announces lost taps before it passes over those behind them`() {
        var (machine, actions) = started([tap(1, nil, number: 1), tap(4, nil, number: 4), tap(5, .proven, number: 5)])
        let lost = actions.compactMap { if case .announce(let lost) = $0 { lost } else { nil } }
        #expect(lost.map(\.range?.numbers) == [2...3] && actions.deliveries.isEmpty)
        actions = lost.first.map { machine.announced($0, .delivered(""), now: .zero) } ?? []
        #expect(actions.deliveries == [5] && machine.counts.passedOver == 2)
    }

    @Test func `saves how far it passed over`() {
        var (machine, _) = started([tap(1, nil), tap(2, nil)])
        let deadline = machine.deadline(after: .zero) ?? .zero
        let saves = machine.tick(now: deadline).compactMap { action -> Int64? in
            if case .save(_, let acknowledged) = action { acknowledged } else { nil }
        }
        #expect(saves == [2])
    }

    @Test func `gives a command the proof in its environment, and nothing in its place`() {
        let proof = TapProof(
            .proven, .sun, profile: "door", key: "front", keyVersion: 2, identifier: HexBytes([4, 0xA1]), counter: 7,
            credential: HexBytes([0xC0, 0xDE]), scope: .thisMachine)
        #expect(
            ProofVariables(proof, prefix: "NFCD_").values == [
                "NFCD_PROOF": "proven", "NFCD_PROOF_PROFILE": "door", "NFCD_PROOF_METHOD": "sun",
                "NFCD_PROOF_KEY": "front", "NFCD_PROOF_KEY_VERSION": "2", "NFCD_PROOF_IDENTIFIER": "04A1",
                "NFCD_PROOF_COUNTER": "7", "NFCD_PROOF_CREDENTIAL": "C0DE", "NFCD_PROOF_SCOPE": "thisMachine",
            ])
        let none = ProofVariables(nil, prefix: "NFCD_").values
        #expect(none.count == 9 && none.values.allSatisfy { $0.isEmpty })
        #expect(ProofVariables(TapProof(.failed, profile: "a\0b"), prefix: "").values["PROOF_PROFILE"] == "a")
    }
}
