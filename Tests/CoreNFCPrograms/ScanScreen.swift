import CoreNFC

/// A screen of an app that owns its session and is the session's delegate. Nothing ends the session when the screen is
/// dismissed.
final class ScanScreen: NSObject, NFCTagReaderSessionDelegate, @unchecked Sendable {
    /// How far the session has come when the screen is dismissed.
    enum Phase: String, CaseIterable, Sendable {
        case created, starting, waiting, active, detected, connected, commanding, restarted
    }

    private let happenings: Happenings
    private let phase: Phase
    private(set) var session: NFCTagReaderSession?
    private var tags: [NFCTag] = []

    /// A screen whose session continues until a phase, and that notes "reached" there.
    init(_ phase: Phase, _ happenings: Happenings) {
        (self.phase, self.happenings) = (phase, happenings)
        super.init()
        session = NFCTagReaderSession(pollingOption: .iso14443, delegate: self)
        session?.waitsForTurn = phase == .waiting
    }

    func show() {
        if phase != .created { session?.begin() }
        reach(.created, .starting, .waiting)
    }

    private func reach(_ phases: Phase...) {
        if phases.contains(phase) { happenings.note("reached") }
    }

    func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) {
        reach(.active)
    }

    func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag]) {
        self.tags = tags
        guard let tag = tags.first, case .miFare(let card) = tag, phase != .detected else { return reach(.detected) }
        session.connect(to: tag) { [weak self] _ in
            guard let self else { return }
            if phase == .commanding {
                for _ in 0..<20 { card.sendMiFareCommand(commandPacket: Data([0x30, 0x00])) { _, _ in } }
            }
            if phase == .restarted { session.restartPolling() }
            reach(.connected, .commanding, .restarted)
        }
    }

    func tagReaderSession(_ session: NFCTagReaderSession, didInvalidateWithError error: any Error) {
        happenings.note("over")
    }
}
