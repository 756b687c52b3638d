package import VirtualTags

/// The FIDO application of a security key, over NFC (CTAP 2.1, §11.3; U2F NFC protocol 1.2).
package struct SecurityKeyApplication: VirtualApplication {
    /// What security keys differ in.
    package struct Features: Sendable {
        /// The AAGUID, 16 bytes.
        package var aaguid: [UInt8]
        /// The PIN that is set at first; nil for none.
        package var pin: String?
        /// Whether entering the field permits any number of operations, not one.
        package var permitsSeveralOperations: Bool
        /// How often it asks for time (9100) before it answers a request for an operation.
        package var waits: Int

        package init(
            aaguid: [UInt8] = Array("nfcd virtual key".utf8), pin: String? = nil,
            permitsSeveralOperations: Bool = false, waits: Int = 0
        ) {
            self.aaguid = Array((aaguid + [UInt8](repeating: 0, count: 16)).prefix(16))
            self.pin = pin
            self.permitsSeveralOperations = permitsSeveralOperations
            self.waits = waits
        }
    }

    package let aid = "A0000006472F0001"

    private let features: Features
    private let now: @Sendable () -> Duration
    private var authenticator: Authenticator
    private var isEnded = false
    /// A request for which time was asked, and how often it still will be.
    private var pending: (message: [UInt8], waits: Int)?

    /// Creates a security key.
    ///
    /// - Parameter now: the time since some moment; it must not go back.
    package init(_ features: Features = Features(), now: @escaping @Sendable () -> Duration) {
        self.features = features
        self.now = now
        authenticator = Authenticator(
            Authenticator.Features(
                aaguid: features.aaguid, permitsSeveralOperations: features.permitsSeveralOperations),
            pin: features.pin)
    }

    /// A card with the application alone.
    package static func card(
        _ features: Features = Features(), identifier: [UInt8]? = nil, now: @escaping @Sendable () -> Duration
    ) throws(VirtualTagError) -> VirtualApplicationCard {
        try VirtualApplicationCard(
            identifier: identifier, features: VirtualApplicationCard.Features(chainsProprietaryClasses: true),
            applications: [SecurityKeyApplication(features, now: now)])
    }

    package mutating func select(_ command: VirtualCardCommand) -> VirtualCardResponse {
        authenticator.powerUp(at: now())
        (isEnded, pending) = (false, nil)
        return VirtualCardResponse("U2F_V2".utf8)
    }

    package mutating func reset() {
        authenticator.powerDown()
        pending = nil
    }

    package mutating func respond(to command: VirtualCardCommand) -> VirtualCardResponse {
        guard !isEnded else { return .conditionsNotSatisfied }
        switch (command.instructionClass, command.instructionCode) {
        case (0x80, 0x10): return message(command)
        case (0x80, 0x11): return goOn(command)
        case (0x80, 0x12): return control(command)
        case (0x00, 0x01): return register(command)
        case (0x00, 0x02): return authenticate(command)
        case (0x00, 0x03): return command.parameter == 0 ? VirtualCardResponse("U2F_V2".utf8) : .wrongParameters
        case (0x00, _), (0x80, _): return .instructionNotSupported
        default: return .classNotSupported
        }
    }

    // MARK: CTAP2

    /// NFCCTAP_MSG. Without bit 7 of P1, the program cannot be asked to wait.
    private mutating func message(_ command: VirtualCardCommand) -> VirtualCardResponse {
        guard command.p1 & 0x7F == 0, command.p2 == 0 else { return .wrongParameters }
        pending = nil
        let isOperation = [0x01, 0x02].contains(command.data.first)
        guard isOperation, command.p1 == 0x80, features.waits > 0 else {
            return VirtualCardResponse(authenticator.perform(command.data, at: now()))
        }
        pending = (command.data, features.waits)
        return wait()
    }

    private func wait() -> VirtualCardResponse { VirtualCardResponse([0x02], status: 0x9100) }

    /// NFCCTAP_GETRESPONSE, which P1 = 11 makes a cancellation.
    private mutating func goOn(_ command: VirtualCardCommand) -> VirtualCardResponse {
        guard let (message, waits) = pending else { return .conditionsNotSatisfied }
        guard command.p2 == 0, command.p1 == 0x00 || command.p1 == 0x11 else { return .wrongParameters }
        pending = nil
        guard command.p1 == 0x00 else { return VirtualCardResponse([CTAPError.cancelled.rawValue]) }
        guard waits > 1 else { return VirtualCardResponse(authenticator.perform(message, at: now())) }
        pending = (message, waits - 1)
        return wait()
    }

    private mutating func control(_ command: VirtualCardCommand) -> VirtualCardResponse {
        guard command.parameter == 0x0100 else { return .wrongParameters }
        isEnded = true
        return .done
    }

    // MARK: U2F

    private mutating func register(_ command: VirtualCardCommand) -> VirtualCardResponse {
        guard command.data.count == 64 else { return .wrongLength }
        guard authenticator.takePresence(at: now()) else { return .conditionsNotSatisfied }
        let (challenge, application) = (Array(command.data.prefix(32)), Array(command.data.suffix(32)))
        guard let credential = try? authenticator.credentials.newCredential(application: application),
            let certificate = try? AttestationCertificate()
        else { return .wrongData }
        let point = credential.point
        let signed: [[UInt8]] = [[0x00], application, challenge, credential.id, point]
        guard let signature = try? certificate.sign(signed.flatMap { $0 }) else { return .wrongData }
        let parts: [[UInt8]] = [
            [0x05], point, [UInt8(credential.id.count)], credential.id, certificate.bytes, signature,
        ]
        return VirtualCardResponse(parts.flatMap { $0 })
    }

    private mutating func authenticate(_ command: VirtualCardCommand) -> VirtualCardResponse {
        let data = command.data
        guard data.count >= 65, data.count == 65 + Int(data[64]) else { return .wrongLength }
        let (challenge, application) = (Array(data[0..<32]), Array(data[32..<64]))
        guard let credential = authenticator.credentials.credential(id: Array(data[65...]), application: application)
        else {
            return .wrongData
        }
        switch command.p1 {
        case 0x07: return .conditionsNotSatisfied
        case 0x03 where !authenticator.takePresence(at: now()): return .conditionsNotSatisfied
        case 0x03, 0x08: break
        default: return .wrongParameters
        }
        let proof = [command.p1 == 0x03 ? 1 : 0] + authenticator.count()
        guard let signature = try? credential.sign(application + proof + challenge) else { return .wrongData }
        return VirtualCardResponse(proof + signature)
    }
}
