import ISO7816

/// Sends DESFire's native commands wrapped into ISO/IEC 7816-4 ones: `90 ins 00 00 Lc data 00`, answered by data and
/// `91 status` (MIFARE DESFire data sheets, wrapping of native APDUs). NTAG 413 and 424 DNA and DESFire Light take them
/// too.
public struct DESFireChannel: Sendable {
    /// The most command data in one frame, in bytes.
    public static let frameSize = 55
    /// The most answer data of one command, in bytes.
    public static let responseLimit = 65_536
    /// The most frames for one answer.
    public static let frameLimit = 2_048

    private let channel: any CardChannel

    /// A card behind a channel.
    public init(channel: some CardChannel) { self.channel = channel }

    /// Sends a command in as many frames as its data needs and puts the frames of the answer together.
    ///
    /// - Returns: the whole answer. Its status is never ``DESFireStatus/additionalFrame``, and any other is a response.
    /// - Throws: ``TagError`` 102 for an answer that is not a wrapped one or does not end, others when there is none.
    public func send(_ instruction: UInt8, _ data: [UInt8] = []) async throws(TagError) -> DESFireResponse {
        var response = try await exchange(instruction, Array(data.prefix(Self.frameSize)))
        var rest = data.dropFirst(Self.frameSize)
        while response.status == .additionalFrame, !rest.isEmpty {
            response = try await exchange(DESFireStatus.additionalFrame.rawValue, Array(rest.prefix(Self.frameSize)))
            rest = rest.dropFirst(Self.frameSize)
        }
        guard rest.isEmpty || response.status != .operationOK else {
            throw TagError(
                .tagResponseError, "the card took only a part of native command \(Hexadecimal.string(instruction))",
                response: response.data + [0x91, response.status.rawValue])
        }
        return try await complete(response)
    }

    /// Sends one frame; ``DESFireStatus/additionalFrame`` is returned unchanged, for procedures such as authentication.
    ///
    /// - Throws: as ``send(_:_:)``, and 105 for more than 255 bytes.
    public func exchange(_ instruction: UInt8, _ data: [UInt8] = []) async throws(TagError) -> DESFireResponse {
        let stack = ISO7816Stack(channel: channel)
        let response = try await stack.send(0x90, instruction, 0x00, 0x00, data: data, expectedLength: 256)
        guard response.statusWord.sw1 == 0x91 else {
            throw TagError(
                .tagResponseError,
                "native command \(Hexadecimal.string(instruction)) not understood: \(response.statusWord)",
                response: response)
        }
        return DESFireResponse(status: DESFireStatus(rawValue: response.statusWord.sw2), data: response.data)
    }

    private func complete(_ first: DESFireResponse) async throws(TagError) -> DESFireResponse {
        var response = first
        var data = first.data
        var frames = 1
        while response.status == .additionalFrame {
            guard frames < Self.frameLimit, data.count <= Self.responseLimit else {
                throw TagError(.tagResponseError, "the answer of the card does not end", response: response.data)
            }
            frames += 1
            response = try await exchange(DESFireStatus.additionalFrame.rawValue)
            data += response.data
        }
        return DESFireResponse(status: response.status, data: data)
    }
}

/// The answer to a native command.
public struct DESFireResponse: Sendable, Hashable {
    /// The status byte.
    public let status: DESFireStatus
    /// The data in front of it.
    public let data: [UInt8]

    /// Makes an answer.
    public init(status: DESFireStatus, data: [UInt8]) {
        self.status = status
        self.data = data
    }
}

/// What GET_VERSION answers (MIFARE DESFire and NTAG 424 DNA data sheets): hardware, software, and how the chip was
/// made.
public struct DESFireVersion: Sendable, Hashable {
    /// Seven bytes about hardware or software.
    public struct Part: Sendable, Hashable {
        /// The vendor, 04 for NXP.
        public let vendor: UInt8
        /// The product family: 01 DESFire, 02 MIFARE Plus, 04 NTAG, 08 DESFire Light.
        public let type: UInt8
        /// The subtype.
        public let subtype: UInt8
        /// The major version.
        public let major: UInt8
        /// The minor version.
        public let minor: UInt8
        /// The storage code, see ``storageSize``.
        public let storage: UInt8
        /// The protocol, 05 for ISO/IEC 14443-2, -3 and -4.
        public let protocolType: UInt8

        /// The bytes of storage that the code stands for; between them and their double for an odd code.
        public var storageSize: Int { 1 << min(Int(storage >> 1), 32) }

        init(_ bytes: [UInt8]) {
            vendor = bytes[0]
            type = bytes[1]
            subtype = bytes[2]
            major = bytes[3]
            minor = bytes[4]
            storage = bytes[5]
            protocolType = bytes[6]
        }
    }

    /// The chip.
    public let hardware: Part
    /// The software on it.
    public let software: Part
    /// The identifier, 7 bytes; zeros where the card hides it.
    public let identifier: [UInt8]
    /// What is behind the identifier: batch number and date.
    public let production: [UInt8]

    /// Parses the joined frames: 7, 7 and at least 14 bytes; `nil` for fewer.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count >= 28 else { return nil }
        hardware = Part(Array(bytes[0..<7]))
        software = Part(Array(bytes[7..<14]))
        identifier = Array(bytes[14..<21])
        production = Array(bytes[21...])
    }

    /// The product, as far as the hardware's type and version show it.
    public var product: DESFireProduct { DESFireProduct(hardware) }
}

/// A product that answers GET_VERSION in this form.
public enum DESFireProduct: String, Sendable, Hashable, CaseIterable {
    /// MF3ICD40, the first DESFire.
    case desfire = "MIFARE DESFire"
    /// MIFARE DESFire EV1.
    case desfireEV1 = "MIFARE DESFire EV1"
    /// MIFARE DESFire EV2.
    case desfireEV2 = "MIFARE DESFire EV2"
    /// MIFARE DESFire EV3.
    case desfireEV3 = "MIFARE DESFire EV3"
    /// MIFARE DESFire Light.
    case desfireLight = "MIFARE DESFire Light"
    /// NTAG 413 DNA.
    case ntag413DNA = "NTAG 413 DNA"
    /// NTAG 424 DNA, with or without TagTamper.
    case ntag424DNA = "NTAG 424 DNA"
    /// Another one.
    case unknown = "unknown"

    init(_ hardware: DESFireVersion.Part) {
        guard hardware.vendor == 0x04 else {
            self = .unknown
            return
        }
        self =
            switch (hardware.type, hardware.major) {
            case (0x01, 0x00): .desfire
            case (0x01, 0x01): .desfireEV1
            case (0x01, 0x12), (0x01, 0x22): .desfireEV2
            case (0x01, 0x33): .desfireEV3
            case (0x08, 0x30): .desfireLight
            case (0x04, 0x10): .ntag413DNA
            case (0x04, 0x30): .ntag424DNA
            default: .unknown
            }
    }
}

extension DESFireChannel {
    /// GET_VERSION in its three frames.
    ///
    /// - Throws: ``TagError`` 102 if the card does not support the command or its answer is too short.
    public func version() async throws(TagError) -> DESFireVersion {
        let response = try await send(0x60)
        guard response.status == .operationOK, let version = DESFireVersion(response.data) else {
            throw TagError(
                .tagResponseError, "GET_VERSION answered with \(response.status) and \(response.data.count) bytes",
                response: response.data)
        }
        return version
    }
}

/// The status byte of DESFire's native commands, SW2 behind 91 (MIFARE DESFire data sheets), open.
public struct DESFireStatus: RawRepresentable, Sendable, Hashable {
    /// The byte.
    public let rawValue: UInt8

    /// Creates a value of any byte.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 00: done.
    public static let operationOK = DESFireStatus(rawValue: 0x00)
    /// 40: the key does not exist.
    public static let noSuchKey = DESFireStatus(rawValue: 0x40)
    /// 9D: not permitted, or the key is locked after too many failures.
    public static let permissionDenied = DESFireStatus(rawValue: 0x9D)
    /// A0: the application does not exist.
    public static let applicationNotFound = DESFireStatus(rawValue: 0xA0)
    /// AD: the authentication is delayed after failures; begin it again.
    public static let authenticationDelay = DESFireStatus(rawValue: 0xAD)
    /// AE: the authentication failed, or is missing.
    public static let authenticationError = DESFireStatus(rawValue: 0xAE)
    /// AF: another frame follows or is expected.
    public static let additionalFrame = DESFireStatus(rawValue: 0xAF)
}

extension DESFireStatus: CustomStringConvertible {
    /// The byte and its name in the data sheets, for example `AE AUTHENTICATION_ERROR`.
    public var description: String {
        let digits = Hexadecimal.string(rawValue)
        return Self.names[rawValue].map { "\(digits) \($0)" } ?? digits
    }

    private static let names: [UInt8: String] = [
        0x00: "OPERATION_OK", 0x0C: "NO_CHANGES", 0x0E: "OUT_OF_EEPROM_ERROR", 0x1C: "ILLEGAL_COMMAND_CODE",
        0x1E: "INTEGRITY_ERROR", 0x40: "NO_SUCH_KEY", 0x7E: "LENGTH_ERROR", 0x9D: "PERMISSION_DENIED",
        0x9E: "PARAMETER_ERROR", 0xA0: "APPLICATION_NOT_FOUND", 0xA1: "APPL_INTEGRITY_ERROR",
        0xAD: "AUTHENTICATION_DELAY", 0xAE: "AUTHENTICATION_ERROR", 0xAF: "ADDITIONAL_FRAME",
        0xBE: "BOUNDARY_ERROR", 0xC1: "PICC_INTEGRITY_ERROR", 0xCA: "COMMAND_ABORTED",
        0xCD: "PICC_DISABLED_ERROR", 0xCE: "COUNT_ERROR", 0xDE: "DUPLICATE_ERROR", 0xEE: "EEPROM_ERROR",
        0xF0: "FILE_NOT_FOUND", 0xF1: "FILE_INTEGRITY_ERROR",
    ]
}
