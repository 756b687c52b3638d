public import Foundation

/// What a tag tells about itself (ISO/IEC 15693-3, Get system information). Numbers that it does not tell are −1.
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
        self.uniqueIdentifier = uniqueIdentifier
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
