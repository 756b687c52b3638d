public import Foundation

/// What else a FeliCa tag is to report when it is polled (JIS X 6319-4, request code).
public enum NFCFeliCaPollingRequestCode: Int, Sendable {
    /// Nothing.
    case noRequest = 0
    /// Its system code.
    case systemCode = 1
    /// The speeds that it can do.
    case communicationPerformance = 2
}

/// How many time slots FeliCa tags may answer in (JIS X 6319-4, time slot number).
public enum NFCFeliCaPollingTimeSlot: Int, Sendable {
    /// One.
    case max1 = 0
    /// Two.
    case max2 = 1
    /// Four.
    case max4 = 3
    /// Eight.
    case max8 = 7
    /// Sixteen.
    case max16 = 15
}

/// How the keys of a FeliCa node are used.
///
/// An iPhone can hand out numbers that have no name. Here an unlisted number gives nil.
public enum NFCFeliCaEncryptionId: Int, Sendable {
    /// AES alone.
    case AES = 0x4F
    /// AES and DES.
    case AES_DES = 0x41
}

/// What a FeliCa tag answers to polling.
public struct NFCFeliCaPollingResponse: Sendable {
    /// The eight bytes PMm: response times and the kind of the chip.
    public var manufactureParameter: Data
    /// What was asked for by the request code; empty or nil where nothing was, or the tag does not report it.
    public var requestData: Data?

    /// A response of these parts.
    public init(manufactureParameter: Data, requestData: Data?) {
        self.manufactureParameter = manufactureParameter.fromZero
        self.requestData = requestData?.fromZero
    }
}

/// The two status flags of a FeliCa reply; both 0 for success.
public struct NFCFeliCaStatusFlag: Sendable {
    /// 0 for success, 0xFF for an error that concerns no block, else the place of the block in the list.
    public var statusFlag1: Int
    /// The reason.
    public var statusFlag2: Int

    /// Flags of these values.
    public init(statusFlag1: Int, statusFlag2: Int) {
        self.statusFlag1 = statusFlag1
        self.statusFlag2 = statusFlag2
    }
}

/// What a FeliCa tag answers to Request Service v2. The name is spelt as in Apple's SDK.
public struct NFCFeliCaRequsetServiceV2Response: Sendable {
    /// 0 for success.
    public var statusFlag1: Int
    /// The reason.
    public var statusFlag2: Int
    /// How the keys are used; without meaning where ``statusFlag1`` is an error.
    public var encryptionIdentifier: NFCFeliCaEncryptionId
    /// The versions of the AES keys, two bytes each, least significant first.
    public var nodeKeyVersionListAES: [Data]?
    /// The versions of the DES keys, two bytes each, least significant first.
    public var nodeKeyVersionListDES: [Data]?

    /// A response of these parts.
    public init(
        statusFlag1: Int, statusFlag2: Int, encryptionIdentifier: NFCFeliCaEncryptionId, nodeKeyVersionListAES: [Data]?,
        nodeKeyVersionListDES: [Data]?
    ) {
        self.statusFlag1 = statusFlag1
        self.statusFlag2 = statusFlag2
        self.encryptionIdentifier = encryptionIdentifier
        self.nodeKeyVersionListAES = nodeKeyVersionListAES?.map(\.fromZero)
        self.nodeKeyVersionListDES = nodeKeyVersionListDES?.map(\.fromZero)
    }
}

/// What a FeliCa tag answers to Request Specification Version.
public struct NFCFeliCaRequestSpecificationVersionResponse: Sendable {
    /// 0 for success.
    public var statusFlag1: Int
    /// The reason.
    public var statusFlag2: Int
    /// The version of the basic part, in the tag's own coding.
    public var basicVersion: Data?
    /// The versions of the options, in the tag's own coding.
    public var optionVersion: Data?

    /// A response of these parts.
    public init(statusFlag1: Int, statusFlag2: Int, basicVersion: Data?, optionVersion: Data?) {
        self.statusFlag1 = statusFlag1
        self.statusFlag2 = statusFlag2
        self.basicVersion = basicVersion?.fromZero
        self.optionVersion = optionVersion?.fromZero
    }
}
