import NFCTypes

/// What a tap with a product can prove at most, in one sentence for people: the field `Proof` of a description.
///
/// A UID, a signature of a UID, a password and content that can be read do not prove anything. `Docs/readers.md` names the sources.
enum ProofStrength: Sendable, Hashable {
    /// The product can prove that it has a key of the site.
    case possible
    /// No secret at all.
    case withoutSecret
    /// A password that is transmitted as it is (PWD_AUTH).
    case password
    /// A password that is combined with a number that is transmitted too (ICODE, SET PASSWORD).
    case maskedPassword
    /// Crypto1.
    case brokenCipher
    /// The DES keys of MF3ICD40.
    case measuredKeys
    /// The key of MIFARE Ultralight C.
    case overwrittenKey
    /// The key of NTAG 223 DNA and NTAG 224 DNA.
    case messageKey
    /// MIFARE Ultralight AES: whether SEC_MSG_ACT is set, and whether LOCK_KEYS locks DataProtKey; nil: not known.
    case aesKey(isMessagingSecure: Bool?, isKeyLocked: Bool?)

    /// `weak` or `possible`, and the reason.
    var words: String {
        switch self {
        case .possible, .aesKey(true, true):
            "possible: it can prove that it has your key; nfcd asks for it if a profile fits the tag"
        case .withoutSecret: "weak: it has no secret, and everything on it can be copied"
        case .password: "weak: its password is transmitted unencrypted, and what it shows can be copied"
        case .maskedPassword: "weak: its passwords can be computed from one intercepted exchange"
        case .brokenCipher: "weak: its cipher is broken, and its keys can be recovered"
        case .measuredKeys: "weak: its keys can be recovered by measuring its power consumption"
        case .overwrittenKey:
            "weak: its key can be recovered by overwriting parts of it, and that of a compatible chip in minutes"
        case .messageKey: "weak: the key of its message can be recovered from one tag whose key pages are not locked"
        case .aesKey(false, false):
            "weak: its key can be recovered by overwriting parts of it: SEC_MSG_ACT is off, and LOCK_KEYS is open"
        case .aesKey(false, _): "weak: its commands are not authenticated, because SEC_MSG_ACT is off"
        case .aesKey(_, false): "weak: its key can be overwritten, because LOCK_KEYS is open"
        case .aesKey: "weak, unless SEC_MSG_ACT and LOCK_KEYS are set, which could not be read"
        }
    }

    /// The field.
    var field: TagDescription.Field { .init("Proof", words) }
}

extension DESFireProduct {
    /// Nil for products that nfcd cannot judge.
    var proofStrength: ProofStrength? {
        switch self {
        case .desfire: .measuredKeys
        case .desfireEV1, .desfireEV2, .desfireEV3, .ntag424DNA: .possible
        case .desfireLight, .ntag413DNA, .unknown: nil
        }
    }
}

extension Type2Version {
    /// That of NTAG 223 DNA and NTAG 224 DNA, with or without StatusDetect (NT2H2331 and NT2H2421 data sheets, GET_VERSION).
    var hasMessageKey: Bool {
        guard vendor == Self.nxp, bytes[2] == 0x04, [0x02, 0x08].contains(bytes[3]), bytes[5] == 0 else { return false }
        return [[0x04, 0x0F], [0x05, 0x10]].contains([bytes[4], storage])
    }
}

extension Type2Product {
    /// The strength of a product whose settings do not change it.
    var proofStrength: ProofStrength {
        switch secret {
        case .aesKey: .aesKey(isMessagingSecure: nil, isKeyLocked: nil)
        case .password where keyAccessPage != nil: .overwrittenKey
        case .password: configurationPage == nil ? .withoutSecret : .password
        }
    }
}

extension Type5Product {
    /// Nil where the UID does not show the chip, and for NTAG 5 and ICODE DNA, some of which have AES keys.
    var proofStrength: ProofStrength? {
        guard let name, name.hasPrefix("ICODE") else { return nil }
        // ICODE SLI, the first one, has no password.
        return name == "ICODE SLI" ? .withoutSecret : .maskedPassword
    }
}
