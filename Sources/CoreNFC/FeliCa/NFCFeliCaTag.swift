public import Foundation

/// A FeliCa tag (JIS X 6319-4) with one of the system codes that the configuration lists.
///
/// Service and node codes are two bytes, least significant first. Blocks are 16 bytes. Status flags other than 0 are no
/// errors.
public protocol NFCFeliCaTag: NFCNDEFTag, __NFCTag {
    /// The system code that was selected, two bytes in the order in which it is listed.
    var currentSystemCode: Data { get }
    /// The eight bytes IDm of the selected system; they may change with every polling.
    var currentIDm: Data { get }

    /// Selects a system. The handler gets PMm, and what was asked for.
    ///
    /// A code that is not listed, or has a wildcard byte FF, gives error 2, and the selected system stays.
    @preconcurrency
    func polling(
        systemCode: Data, requestCode: NFCFeliCaPollingRequestCode, timeSlot: NFCFeliCaPollingTimeSlot,
        completionHandler: @escaping @Sendable (Data, Data, (any Error)?) -> Void)

    /// Asks for the key versions of 1…32 nodes; FFFF where a node is not there.
    @preconcurrency
    func requestService(nodeCodeList: [Data], completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void)

    /// Asks whether the tag is there, and for its mode, 0…3.
    @preconcurrency
    func requestResponse(completionHandler: @escaping @Sendable (Int, (any Error)?) -> Void)

    /// Reads blocks of 1…16 services. The handler gets both status flags and the blocks.
    ///
    /// Each element of `blockList` is two or three bytes. The blocks are valid only where the first flag is 0.
    @preconcurrency
    func readWithoutEncryption(
        serviceCodeList: [Data], blockList: [Data],
        completionHandler: @escaping @Sendable (Int, Int, [Data], (any Error)?) -> Void)

    /// Writes blocks of 1…16 services, as many as `blockList` has elements. The handler gets both status flags.
    @preconcurrency
    func writeWithoutEncryption(
        serviceCodeList: [Data], blockList: [Data], blockData: [Data],
        completionHandler: @escaping @Sendable (Int, Int, (any Error)?) -> Void)

    /// Asks for the system codes of the tag.
    @preconcurrency
    func requestSystemCode(completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void)

    /// Asks for the key versions of 1…32 nodes. The handler gets both status flags, how the keys are used, and the
    /// versions of the AES and of the DES keys.
    @preconcurrency
    func requestServiceV2(
        nodeCodeList: [Data],
        completionHandler: @escaping @Sendable (Int, Int, NFCFeliCaEncryptionId, [Data], [Data], (any Error)?) -> Void)

    /// Asks for the version of the tag's operating system. The handler gets both status flags, the version of the basic
    /// part, and those of the options.
    @preconcurrency
    func requestSpecificationVersion(
        completionHandler: @escaping @Sendable (Int, Int, Data, Data, (any Error)?) -> Void)

    /// Puts the tag into mode 0. The handler gets both status flags.
    @preconcurrency
    func resetMode(completionHandler: @escaping @Sendable (Int, Int, (any Error)?) -> Void)

    /// Sends a command of at most 254 bytes, without its length byte. Length and CRC are added.
    @preconcurrency
    func sendFeliCaCommand(
        commandPacket: Data, completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void)
}
