import ISO7816

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

    /// Takes apart the frames put together: 7, 7 and at least 14 bytes; `nil` for fewer.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count >= 28 else { return nil }
        hardware = Part(Array(bytes[0..<7]))
        software = Part(Array(bytes[7..<14]))
        identifier = Array(bytes[14..<21])
        production = Array(bytes[21...])
    }

    /// The product, as far as the hardware's type and version tell.
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
    /// - Throws: ``TagError`` 102 where the card does not know the command or answers too little.
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
