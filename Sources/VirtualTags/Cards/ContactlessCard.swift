/// A tag with the half-duplex block protocol of ISO/IEC 14443-4. Its ``VirtualTag/exchange(_:)`` takes and answers
/// whole commands, as they come out of the information fields of the blocks; the blocks themselves are not modelled.
public protocol ContactlessCard: VirtualTag {
    /// The historical bytes of its answer to select, 0 to 15.
    var historicalBytes: [UInt8] { get }
}

extension ContactlessCard {
    /// Type A.
    public var technology: VirtualTagTechnology { .iso14443Part4A }
}

/// A card of ISO/IEC 14443-4 type B, as many identity cards are. Its ``VirtualTag/identifier`` is the PUPI, 4 bytes.
///
/// It takes whole commands, as a ``ContactlessCard`` does.
public protocol TypeBCard: VirtualTag {
    /// What it answers to REQB.
    var answerToRequest: VirtualAnswerToRequestB { get }
}

extension TypeBCard {
    /// Type B.
    public var technology: VirtualTagTechnology { .iso14443Part4B }
}

/// What a type B card's answer to request, ATQB, says besides its PUPI (ISO/IEC 14443-3, §7.9).
public struct VirtualAnswerToRequestB: Sendable, Hashable {
    /// The application data, 4 bytes: AFI, two bytes CRC_B of the AID, the numbers of applications; or anything, in proprietary coding.
    public let applicationData: [UInt8]
    /// The protocol information, 3 bytes: bit rates; frame size and protocol type; FWI, the coding of the application data, and FO.
    public let protocolInformation: [UInt8]
    /// The maximum buffer length index of its answer to ATTRIB, 0 to 15.
    public let maximumBufferLengthIndex: UInt8

    /// Creates an answer of a card with frames of 256 bytes at 106 kbit/s.
    ///
    /// - Parameters:
    ///   - applicationData: 4 bytes.
    ///   - isProprietary: whether the application data is coded in a proprietary way.
    /// - Throws: ``VirtualTagError`` for another length.
    public init(applicationData: [UInt8], isProprietary: Bool = false) throws(VirtualTagError) {
        try self.init(
            applicationData: applicationData, protocolInformation: [0x00, 0x81, isProprietary ? 0x81 : 0x85])
    }

    /// Creates an answer of its parts.
    ///
    /// - Throws: ``VirtualTagError`` for a part of another length.
    public init(
        applicationData: [UInt8], protocolInformation: [UInt8], maximumBufferLengthIndex: UInt8 = 0
    ) throws(VirtualTagError) {
        guard applicationData.count == 4, protocolInformation.count == 3, maximumBufferLengthIndex <= 15 else {
            throw .wrongAnswerToRequest
        }
        self.applicationData = applicationData
        self.protocolInformation = protocolInformation
        self.maximumBufferLengthIndex = maximumBufferLengthIndex
    }

    /// The historical bytes that a reader makes of it (PC/SC part 3, §3.1.3.2.3.1).
    var historicalBytes: [UInt8] { applicationData + protocolInformation + [maximumBufferLengthIndex << 4] }
}
