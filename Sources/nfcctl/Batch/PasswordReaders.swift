import ArgumentParser
import NFCClient
import NFCProtocol
import NFCTags

/// Which readers can give a tag its password.
enum PasswordReaders {
    /// Refuses a batch that sets passwords before its first tag, if none of its readers can send one.
    ///
    /// - Throws: `ExitCode` 69, after printing the reason.
    static func check(_ readers: [ReadersList.Reader], _ options: SessionOptions) throws {
        let used = readers.filter { options.reader.isEmpty || options.reader.contains($0.reader) }
        guard !used.isEmpty, !used.contains(where: isAble) else { return }
        let names = used.map(\.name.escaped).joined(separator: ", ")
        Terminal.error("nfcctl: \(names) cannot send a password to a tag. Nothing was written. \(advice(used))")
        throw ExitCode.unavailable
    }

    /// Whether nfcd knows a way to send any frame through this reader.
    static func isAble(_ reader: ReadersList.Reader) -> Bool {
        ReaderProfile.named(reader.profile)?.sendsRawFrames ?? true
    }

    private static func advice(_ readers: [ReadersList.Reader]) -> String {
        let isUnknown = readers.contains { $0.profile == ReaderProfile.generic.slug }
        let probe = "If its model was never detected, run nfcctl info with a tag once"
        return isUnknown ? "\(probe); otherwise use another reader." : "Use another reader."
    }
}
