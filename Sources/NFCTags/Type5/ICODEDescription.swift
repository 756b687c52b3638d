import ISO7816
import NFCTypes

extension Type5Chip {
    /// What the passwords of an ICODE SLIX2 protect, its counter, EAS and features; nothing of other chips and other readers.
    func protection(
        _ geometry: Type5Geometry
    ) async throws(TagError) -> (fields: [TagDescription.Field], lockState: LockState?) {
        guard geometry.product.hasPasswords, requests != nil else { return ([], nil) }
        let settings: ICODESettings
        do throws(TagError) {
            settings = try await ICODESettings(self)
        } catch {
            guard error.code == .tagResponseError else { throw error }
            return ([.refused("protection", error)], nil)
        }
        var fields = settings.protectionFields
        fields += try await Self.shown("counter") { () throws(TagError) in
            [.init("Counter", try await settings.counter().words)]
        }
        fields += try await Self.shown("EAS") { () throws(TagError) in
            [.init("EAS", try await settings.hasEAS() ? "on" : "off")]
        }
        return (fields, settings.lockState)
    }

    private static func shown(
        _ part: String, _ read: () async throws(TagError) -> [TagDescription.Field]
    ) async throws(TagError) -> [TagDescription.Field] {
        do throws(TagError) {
            return try await read()
        } catch {
            guard error.code == .tagResponseError else { throw error }
            return [.refused(part, error)]
        }
    }
}

extension ICODESettings {
    fileprivate var protectionFields: [TagDescription.Field] {
        let features = information.featureWords
        return [
            .init("Passwords", passwordWords),
            .init("Both passwords needed", "not reported by the chip"),
            .init("Permanent locks", information.locks.words),
            .init("Features", features.isEmpty ? "none" : features.joined(separator: ", ")),
        ]
    }

    /// Which blocks need which password. Whether the others are as delivered, the tag does not show.
    private var passwordWords: String {
        let parts = [(PasswordKind.read, "reading and writing"), (.write, "writing")].compactMap { kind, what in
            let blocks = information.protection.blocks(needing: kind, of: blockCount)
            return blocks.isEmpty ? nil : "\(what) blocks \(Set(blocks).inWords) needs the \(kind.words)"
        }
        return parts.isEmpty ? "no block needs one" : parts.joined(separator: "; ")
    }

    /// Nil where no block needs a password.
    fileprivate var lockState: LockState? {
        let kinds = [PasswordKind.read, .write].map { information.protection.blocks(needing: $0, of: blockCount).count }
        guard let most = kinds.max(), most > 0 else { return nil }
        return most == blockCount ? .passwordProtected : .partlyLocked
    }
}

extension ICODESystemInformation.Locks {
    fileprivate var words: String {
        let names = [(Self.afi, "AFI"), (.dsfid, "DSFID"), (.eas, "EAS"), (.protection, "page protection")]
            .filter { contains($0.0) }.map(\.1)
        let shown = names.isEmpty ? "none of AFI, DSFID, EAS and page protection" : names.joined(separator: ", ")
        return
            "\(shown); not reported by the chip: locked passwords, passwords for AFI and EAS"
    }
}

extension ICODECounter {
    fileprivate var words: String {
        needsPassword ? "\(value); counting needs the read password" : "\(value); everyone can count"
    }
}
