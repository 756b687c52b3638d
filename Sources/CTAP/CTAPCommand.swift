/// What the bridge has to know of a CTAP request (CTAP 2.1, §6): its command, and whether it carries what belongs to a PIN. Values
/// of parameters are not kept.
public struct CTAPCommand: Sendable, Hashable {
    /// The command byte.
    public let code: UInt8
    /// The subcommand of authenticatorClientPIN, credential management, bio enrolment and configuration; nil without one.
    public let subcommand: Int?
    /// What it carries that the card can use in the same field session only.
    public let material: Material
    /// Whether another command can continue with what it begins: the next assertion, the next entry of a list.
    public let beginsList: Bool
    /// Whether the card may have changed something that a repetition would change again.
    public let isRepeatable: Bool
    /// Whether it continues with what the command before it began: the next assertion, the next entry of a list.
    public let continuesPrevious: Bool
    /// Whether it asks for a gesture of the user.
    public let needsPresence: Bool

    /// What belongs to a field session (CTAP 2.1, §6.5).
    public enum Material: Sendable, Hashable {
        /// Nothing.
        case none
        /// A PIN or an hmac-secret salt, encrypted with the card's key agreement.
        case keyAgreement
        /// A pinUvAuthParam, made with the token that the card issued.
        case token
    }

    /// The commands that the bridge distinguishes.
    public enum Code {
        /// authenticatorMakeCredential.
        public static let makeCredential: UInt8 = 0x01
        /// authenticatorGetAssertion.
        public static let getAssertion: UInt8 = 0x02
        /// authenticatorGetInfo.
        public static let getInfo: UInt8 = 0x04
        /// authenticatorClientPIN.
        public static let clientPIN: UInt8 = 0x06
        /// authenticatorReset.
        public static let reset: UInt8 = 0x07
        /// authenticatorGetNextAssertion.
        public static let getNextAssertion: UInt8 = 0x08
        /// authenticatorBioEnrollment.
        public static let bioEnrollment: UInt8 = 0x09
        /// authenticatorCredentialManagement.
        public static let credentialManagement: UInt8 = 0x0A
        /// authenticatorSelection.
        public static let selection: UInt8 = 0x0B
        /// authenticatorLargeBlobs.
        public static let largeBlobs: UInt8 = 0x0C
        /// authenticatorConfig.
        public static let configuration: UInt8 = 0x0D
    }

    /// Reads a request; what is not CBOR is treated as the most sensitive command of its code.
    ///
    /// - Parameter message: command byte and CBOR.
    public init(_ message: [UInt8]) {
        let code = message.first ?? 0
        let parameters = message.count > 1 ? try? CBORItem(message.dropFirst()) : .map([:])
        self.code = code
        subcommand = parameters.flatMap { Self.subcommand(of: code, $0) }
        material = parameters.map { Self.material(code, $0) } ?? .token
        beginsList = Self.beginsList(code, subcommand)
        isRepeatable = parameters.map { Self.isRepeatable(code, $0) } ?? false
        continuesPrevious = Self.continuesPrevious(code, subcommand)
        needsPresence = Self.needsPresence(code, parameters)
    }

    private static func subcommand(of code: UInt8, _ parameters: CBORItem) -> Int? {
        switch code {
        case Code.clientPIN, Code.bioEnrollment: parameters[2]?.integer ?? parameters[1]?.integer
        case Code.credentialManagement, Code.configuration: parameters[1]?.integer
        default: nil
        }
    }

    private static func material(_ code: UInt8, _ parameters: CBORItem) -> Material {
        switch code {
        case Code.makeCredential: material(parameters[8], secret: parameters[6])
        case Code.getAssertion: material(parameters[6], secret: parameters[4])
        case Code.clientPIN: [3, 4, 5, 6, 9].contains(parameters[2]?.integer) ? .keyAgreement : .none
        case Code.credentialManagement, Code.configuration: material(parameters[4])
        case Code.bioEnrollment, Code.largeBlobs: material(parameters[5])
        case Code.getInfo, Code.reset, Code.getNextAssertion, Code.selection: .none
        default: .token
        }
    }

    private static func material(_ parameter: CBORItem?, secret extensions: CBORItem? = nil) -> Material {
        if isGiven(parameter) { return .token }
        return usesSecret(extensions) ? .keyAgreement : .none
    }

    private static func beginsList(_ code: UInt8, _ subcommand: Int?) -> Bool {
        switch code {
        case Code.getAssertion: true
        case Code.credentialManagement: [2, 4].contains(subcommand)
        default: false
        }
    }

    /// An empty pinUvAuthParam asks for a gesture only: programs use it to let the user choose a key (CTAP 2.1, §6.1.2).
    private static func isGiven(_ parameter: CBORItem?) -> Bool { parameter != nil && parameter != .bytes([]) }

    /// hmac-secret is encrypted with the key agreement of the field session. In makeCredential it is only a truth value.
    private static func usesSecret(_ extensions: CBORItem?) -> Bool {
        ["hmac-secret", "hmac-secret-mc"].contains { name in
            if case .map? = extensions?[name] { true } else { false }
        }
    }

    private static func isRepeatable(_ code: UInt8, _ parameters: CBORItem) -> Bool {
        switch code {
        case Code.makeCredential: parameters[7]?["rk"]?.boolean != true
        case Code.getAssertion, Code.getInfo, Code.selection: true
        case Code.clientPIN: [1, 2, 7].contains(parameters[2]?.integer)
        default: false
        }
    }

    private static func continuesPrevious(_ code: UInt8, _ subcommand: Int?) -> Bool {
        switch code {
        case Code.getNextAssertion: true
        case Code.credentialManagement: [3, 5].contains(subcommand)
        default: false
        }
    }

    private static func needsPresence(_ code: UInt8, _ parameters: CBORItem?) -> Bool {
        switch code {
        case Code.makeCredential, Code.selection: true
        case Code.getAssertion: parameters?[5]?["up"]?.boolean != false
        default: false
        }
    }
}
