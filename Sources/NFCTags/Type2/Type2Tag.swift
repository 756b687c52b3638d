import ISO7816

/// An NFC Forum Type 2 Tag: MIFARE Ultralight, NTAG and their like. Made once for a connection.
///
/// Pages are read with `FF B0`, with FAST_READ where the reader lets it pass, and always written with `FF D6`. Header and
/// product are read once; the message is read anew each time. The 3DES authentication of MIFARE Ultralight C is not
/// supported.
public actor Type2Tag: NDEFTag {
    /// Bytes per page.
    static let pageSize = 4
    /// Pages per sector; only the first can be reached without SECTOR_SELECT.
    static let sectorSize = 256
    /// Where the data area starts.
    static let dataAreaStart = 16
    /// The header and the largest data area a capability container can declare, in pages.
    static let pageLimit = 4 + 255 * 8 / 4

    /// What is known of the product.
    enum ProductKnowledge {
        case notAsked
        case unknown
        case known(Type2Product)
    }

    let channel: any CardChannel
    let native: Type2Native?
    let expectedIdentifier: [UInt8]?
    var reader: Type2PageReader
    var header: Type2Header?
    /// nil inside: the tag does not know GET_VERSION.
    var version: Type2Version??
    var product = ProductKnowledge.notAsked
    var isAuthenticated = false

    /// A tag on a connection.
    ///
    /// - Parameters:
    ///   - channel: the connection.
    ///   - profile: what the reader lets pass; without it the tag is read and written with `FF B0` and `FF D6` only.
    ///   - expectedIdentifier: the identifier that the tag must have before anything is written, where the connection was
    ///     made anew in between.
    public init(
        channel: some CardChannel, profile: ReaderProfile = .generic, expectedIdentifier: [UInt8]? = nil
    ) {
        self.channel = channel
        self.expectedIdentifier = expectedIdentifier
        native = Type2Native(profile: profile, channel: channel)
        reader = Type2PageReader(
            storage: StorageCardReader(channel: channel, blockSize: profile.longestStorageRead), native: native)
    }

    /// Reads the first NDEF message, with no more exchanges than it takes to get there and to its end.
    ///
    /// - Throws: ``TagError`` 102 when the tag answers nonsense, refuses a page of its own data area, or a TLV runs
    ///   past the area; 100 when it leaves.
    public func readNDEF() async throws(TagError) -> NDEFReadResult { try await result(wantsMessage: true) }

    /// Status and capacity, without the message.
    public func queryStatus() async throws(TagError) -> NDEFStatusResult {
        NDEFStatusResult(try await result(wantsMessage: false))
    }

    private func result(wantsMessage: Bool) async throws(TagError) -> NDEFReadResult {
        var memory = try await begin()
        let container = try loadedHeader().container
        let faults = container.faults
        guard faults.isEmpty else { return .notSupported(faults.map(\.description).joined(separator: "; ")) }
        return try container.result(of: try await scan(&memory, wantsMessage: wantsMessage))
    }

    /// Gives the password (PWD_AUTH), for as long as the tag stays in the field. No password is ever tried otherwise: too
    /// many wrong ones can close a tag for good.
    ///
    /// - Parameter password: 4 bytes.
    /// - Returns: the two bytes PACK, by which the tag proves that it knows the password too.
    /// - Throws: ``TagError`` 1 where the reader lets no native command pass or the password is not 4 bytes long, 102 when
    ///   it is wrong.
    public func authenticate(password: [UInt8]) async throws(TagError) -> [UInt8] {
        guard let native else {
            throw TagError(.unsupportedFeature, "the reader lets no password pass to a Type 2 tag")
        }
        guard password.count == 4 else { throw TagError(.unsupportedFeature, "a password has 4 bytes") }
        isAuthenticated = false
        let acknowledge = try await native.authenticate(password)
        isAuthenticated = true
        return acknowledge
    }

    /// What the NDEF message in a memory image from page 0 on is; no tag is asked.
    ///
    /// - Throws: ``TagError`` 102 where the image ends before the message, or a TLV runs past the data area.
    public static func readNDEF(inMemory memory: [UInt8]) throws(TagError) -> NDEFReadResult {
        var image = MemoryImage(pageSize: pageSize, pageCount: pageLimit)
        image.store(memory, at: 0)
        guard let header = Type2Header(image) else {
            throw TagError(.tagResponseError, "the image ends before the capability container")
        }
        let faults = header.container.faults
        guard faults.isEmpty else { return .notSupported(faults.map(\.description).joined(separator: "; ")) }
        var scan = header.container.scan()
        if let range = scan.advance(in: image) {
            throw TagError(.tagResponseError, "the image ends before byte \(range.upperBound)")
        }
        return try header.container.result(of: scan)
    }
}
