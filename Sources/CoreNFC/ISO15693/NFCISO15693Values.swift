public import Foundation

/// The flags of an ISO 15693 request (ISO/IEC 15693-3, request flags).
///
/// CoreNFC sets ``address`` by itself and sends the UID, unless ``select`` is set.
public struct NFCISO15693RequestFlag: OptionSet, Sendable {
    /// The flag byte.
    public let rawValue: UInt8

    /// Flags of that byte.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The tag answers with two subcarriers.
    public static let dualSubCarriers = NFCISO15693RequestFlag(rawValue: 0x01)
    /// The tag answers at the high data rate.
    public static let highDataRate = NFCISO15693RequestFlag(rawValue: 0x02)
    /// The request has an extended format.
    public static let protocolExtension = NFCISO15693RequestFlag(rawValue: 0x08)
    /// Only the selected tag answers; no UID is sent.
    public static let select = NFCISO15693RequestFlag(rawValue: 0x10)
    /// Only the tag with the UID answers.
    public static let address = NFCISO15693RequestFlag(rawValue: 0x20)
    /// Depends on the command. On reads: the security status comes before each block.
    public static let option = NFCISO15693RequestFlag(rawValue: 0x40)
    /// Depends on the command.
    public static let commandSpecificBit8 = NFCISO15693RequestFlag(rawValue: 0x80)
}

/// The flags of an ISO 15693 reply (ISO/IEC 15693-3, response flags).
public struct NFCISO15693ResponseFlag: OptionSet, Sendable {
    /// The flag byte.
    public let rawValue: UInt8

    /// Flags of that byte.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The reply is an error; its code follows.
    public static let error = NFCISO15693ResponseFlag(rawValue: 0x01)
    /// The response buffer of the tag is valid.
    public static let responseBufferValid = NFCISO15693ResponseFlag(rawValue: 0x02)
    /// The reply is the last one of an in-process command.
    public static let finalResponse = NFCISO15693ResponseFlag(rawValue: 0x04)
    /// The reply has an extended format.
    public static let protocolExtension = NFCISO15693ResponseFlag(rawValue: 0x08)
    /// Bit 5 of the block security status.
    public static let blockSecurityStatusBit5 = NFCISO15693ResponseFlag(rawValue: 0x10)
    /// Bit 6 of the block security status.
    public static let blockSecurityStatusBit6 = NFCISO15693ResponseFlag(rawValue: 0x20)
    /// The tag asks for more time.
    public static let waitTimeExtension = NFCISO15693ResponseFlag(rawValue: 0x40)
}

/// The system information of a tag (ISO/IEC 15693-3). Numbers that it does not report are −1.
public struct NFCISO15693SystemInfo: Sendable {
    /// The UID. CoreNFC's own tags give it least significant byte first, as it is sent; an iPhone is not documented.
    public var uniqueIdentifier: Data
    /// The data storage format identifier, DSFID.
    public var dataStorageFormatIdentifier: Int
    /// The application family identifier, AFI.
    public var applicationFamilyIdentifier: Int
    /// The bytes in a block, 1…32.
    public var blockSize: Int
    /// The number of blocks.
    public var totalBlocks: Int
    /// The reference of the chip, in the manufacturer's coding.
    public var icReference: Int

    /// Information of these parts.
    public init(
        uniqueIdentifier: Data, dataStorageFormatIdentifier: Int, applicationFamilyIdentifier: Int, blockSize: Int,
        totalBlocks: Int, icReference: Int
    ) {
        self.uniqueIdentifier = uniqueIdentifier.fromZero
        self.dataStorageFormatIdentifier = dataStorageFormatIdentifier
        self.applicationFamilyIdentifier = applicationFamilyIdentifier
        self.blockSize = blockSize
        self.totalBlocks = totalBlocks
        self.icReference = icReference
    }
}

/// The security status of blocks (ISO/IEC 15693-3, Get multiple block security status).
public struct NFCISO15693MultipleBlockSecurityStatus: Sendable {
    /// One byte for each block; bit 1 is set where it is locked.
    public var blockSecurityStatus: [Int]

    /// The status of these blocks.
    public init(blockSecurityStatus: [Int]) {
        self.blockSecurityStatus = blockSecurityStatus
    }
}

/// A custom command of the legacy ISO 15693 session. With today's sessions it gives error 1.
open class NFCISO15693CustomCommandConfiguration: NFCTagCommandConfiguration {
    /// The manufacturer's code, 0x00…0xFF.
    open var manufacturerCode: Int
    /// The code of the command, 0xA0…0xDF.
    open var customCommandCode: Int
    /// The parameters of the command.
    open var requestParameters: Data {
        didSet { requestParameters = requestParameters.fromZero }
    }

    /// A command without retries.
    public init(manufacturerCode: Int, customCommandCode: Int, requestParameters: Data?) {
        self.manufacturerCode = manufacturerCode
        self.customCommandCode = customCommandCode
        self.requestParameters = (requestParameters ?? Data()).fromZero
        super.init(maximumRetries: 0, retryInterval: 0)
    }

    /// A command that is tried again up to 256 times, with seconds in between.
    public init(
        manufacturerCode: Int, customCommandCode: Int, requestParameters: Data?, maximumRetries: Int,
        retryInterval: TimeInterval
    ) {
        self.manufacturerCode = manufacturerCode
        self.customCommandCode = customCommandCode
        self.requestParameters = (requestParameters ?? Data()).fromZero
        super.init(maximumRetries: maximumRetries, retryInterval: retryInterval)
    }

    /// A copy that can be changed on its own.
    open override func copy(with zone: NSZone? = nil) -> Any {
        NFCISO15693CustomCommandConfiguration(
            manufacturerCode: manufacturerCode, customCommandCode: customCommandCode,
            requestParameters: requestParameters, maximumRetries: maximumRetries, retryInterval: retryInterval)
    }
}

/// A read of the legacy ISO 15693 session. With today's sessions it gives error 1.
open class NFCISO15693ReadMultipleBlocksConfiguration: NFCTagCommandConfiguration {
    /// The blocks: a start of 0…0xFF and a length above 0.
    open var range: NSRange
    /// The blocks in one command.
    open var chunkSize: Int

    /// A read without retries.
    public init(range: NSRange, chunkSize: Int) {
        self.range = range
        self.chunkSize = chunkSize
        super.init(maximumRetries: 0, retryInterval: 0)
    }

    /// A read that is tried again up to 256 times, with seconds in between.
    public init(range: NSRange, chunkSize: Int, maximumRetries: Int, retryInterval: TimeInterval) {
        self.range = range
        self.chunkSize = chunkSize
        super.init(maximumRetries: maximumRetries, retryInterval: retryInterval)
    }

    /// A copy that can be changed on its own.
    open override func copy(with zone: NSZone? = nil) -> Any {
        NFCISO15693ReadMultipleBlocksConfiguration(
            range: range, chunkSize: chunkSize, maximumRetries: maximumRetries, retryInterval: retryInterval)
    }
}
