import NDEF

/// Slots for SAMs, which are readers to pcscd, and which nfcd does not show.
enum SlotCheck: Check {
    static let name = "slots"

    static func findings(in scene: Scene) -> [Finding] {
        let slots = scene.cardReaders.flatMap { device in
            device.interfaces.filter { isSAM($0.name) }.map { "\($0.name) of \(device.words)" }
        }
        let listed = scene.daemon.state?.readers.map(\.name).filter(isSAM) ?? []
        return slots.map { finding(.note, "\($0.escaped) takes no tags; nfcd hides it on purpose.", mend: []) }
            + listed.map { finding(.note, "\($0.escaped) is a slot inside the reader and takes no tags.", mend: []) }
    }

    /// As a word of its own: `ACR1252 Dual Reader SAM`.
    private static func isSAM(_ name: String) -> Bool {
        name.split { !$0.isLetter }.contains("SAM")
    }
}
