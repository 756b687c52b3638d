import NFCTypes
import SecureTags

/// How the keys of a tag follow from those of a key ring, as far as a profile decides it. It has no key.
///
/// Profiles of the same names and the same derivation make the same keys, whatever the profiles are called.
package struct KeyDerivation: Sendable, Codable, Hashable {
    private let product: String
    private let rule: String
    private let application: [UInt8]
    private let systemIdentifier: [UInt8]

    init(_ profile: TagProfile) {
        (product, rule) = (profile.product.rawValue, profile.derivation.rawValue)
        (application, systemIdentifier) = (profile.application, profile.systemIdentifier)
    }

    /// What a profile of the key file calls a key of the tag; nil if it follows from key 0.
    func label(_ number: UInt8) -> String? {
        guard let product = TagProfile.Product(rawValue: product) else { return nil }
        let profile = TagProfile(name: "", product: product, keys: [:])
        return TagProfile.Role.allCases.first { profile.number(of: $0) == number }.map { "\($0.rawValue)-key" }
    }

    /// What else a profile of the key file has to have.
    var settings: [String] {
        func hex(_ bytes: [UInt8]) -> String { "\"\(Hexadecimal.string(bytes))\"" }
        return ["tag = \"\(product)\"", "derivation = \"\(rule)\""]
            + (application.isEmpty ? [] : ["application = \(hex(application))"])
            + (systemIdentifier.isEmpty ? [] : ["system-id = \(hex(systemIdentifier))"])
    }
}

extension TagProfile {
    /// The number of keys on a tag, the card master key of a DESFire included.
    private var keyCount: UInt8 {
        switch product {
        case .ntag424: NTAG424SetUp.keyCount
        case .desfire: DESFireLayout.keyCount + 1
        case .ultralightAES, .ultralightC: UltralightAESSetUp.keyCount
        }
    }

    /// The role of key 0, whose key of the ring the keys without a role follow from.
    private var firstRole: Role { number(of: .master) == nil ? .tag : .master }

    /// The role whose key has a number on the tag; nil if none has.
    func role(_ number: UInt8) -> Role? {
        Role.allCases.first { self.number(of: $0) == number && keys[$0] != nil }
    }

    /// The name of a key in the key ring.
    func keyName(_ number: UInt8) -> String? { keys[role(number) ?? firstRole] }

    /// Whether the keys of a record are those that the profile makes.
    func makesKeys(of record: SetUpRecord) -> Bool {
        record.keys.map(\.number) == Array(0..<keyCount) && record.keys.allSatisfy { $0.name == keyName($0.number) }
            && record.derivation ?? KeyDerivation(self) == KeyDerivation(self)
    }
}

extension SetUpRecord {
    /// Why a profile does not finish what was begun: what it needs, and how to write one that does.
    ///
    /// - Parameter objection: what is wrong with the profile, or that there is none.
    func mismatch(_ objection: String) -> String {
        let needed = keys.map { key in
            "\(derivation?.label(key.number) ?? "key \(key.number)") \(key.name), version \(key.new == 0 ? key.old : key.new)"
        }
        let settings = derivation.map { " and \($0.settings.joined(separator: ", "))" } ?? ""
        return
            "the \(task.rawValue) of the tag was begun with profile \(profile), and \(objection). What was begun needs "
            + needed.joined(separator: "; ")
            + ". Give a profile of keys.toml these keys\(settings); its name does not matter"
    }
}
