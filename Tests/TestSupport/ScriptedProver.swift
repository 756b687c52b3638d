package import NFCSessions
package import NFCTags
package import NFCTypes
import Synchronization
import TapJournal

/// A prover whose tags answer what a test says, one after another; after that, no profile fits.
package final class ScriptedProver: TagProver {
    private let attempts: Mutex<[ProofAttempt?]>
    private let count = Mutex(0)

    /// - Parameter attempts: of the tags, in the order in which they are read; nil: no profile fits.
    package init(_ attempts: [ProofAttempt?]) { self.attempts = Mutex(attempts) }

    /// How many tags were asked.
    package var asked: Int { count.withLock { $0 } }

    package func prove(
        _ tag: TagIdentity, _ reading: NDEFReading, over channel: any CardChannel, on reader: ReaderProfile
    ) async -> ProofAttempt? {
        count.withLock { $0 += 1 }
        return attempts.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}

extension ProofAttempt {
    /// A message of the tag 04A1B2C3D4E5F6 with a counter.
    package static func sun(_ counter: Int, _ status: TapProof.Status = .proven) -> ProofAttempt {
        let proof = TapProof(
            status, .sun, profile: "door", key: "front", keyVersion: 1,
            identifier: HexBytes([0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6]), counter: counter,
            reason: status == .proven ? nil : "the test says so")
        return ProofAttempt(proof, CounterClaim(line: [UInt8](repeating: 1, count: 16), value: Int64(counter)))
    }

    /// An answer to a challenge.
    package static func mutual(_ status: TapProof.Status = .proven) -> ProofAttempt {
        ProofAttempt(
            TapProof(
                status, .mutual, profile: "door", key: "front", keyVersion: 1, credential: HexBytes([0xC0, 0xDE]),
                scope: status == .proven ? .everywhere : nil))
    }
}
