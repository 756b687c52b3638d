public import CoreNFC
import NDEF
import NFCReaders
import NFCTags
import VirtualTags

/// A virtual tag that was put on a reader. Its content can be read while it lies on the reader and afterwards.
public final class PresentedTag: Sendable {
    private let reader: VirtualReader
    private let presentation: SimulatedDriver.Presentation
    private let driver: SimulatedDriver

    init(_ reader: VirtualReader, _ presentation: SimulatedDriver.Presentation, on driver: SimulatedDriver) {
        self.reader = reader
        self.presentation = presentation
        self.driver = driver
    }

    /// Removes the tag from the reader; has no effect where it is gone.
    public func remove() {
        driver.remove(presentation)
    }

    /// Whether it still lies on its reader.
    public var isOnReader: Bool { driver.presentations.contains(presentation) }

    /// The tag in its current state.
    var tag: any VirtualTag { reader.tag }

    /// The UID or IDm.
    public var identifier: Data { Data(tag.identifier) }

    /// The message it holds now; nil without one.
    ///
    /// It is read from a copy of the tag, so that the tag on the reader does not notice.
    ///
    /// - Throws: ``TestTagError`` where the tag's memory is invalid.
    public var message: NFCNDEFMessage? {
        get async throws {
            do {
                return try await read().message.flatMap { NFCNDEFMessage(data: Data($0)) }
            } catch {
                throw TestTagError("the message cannot be read: \(error)")
            }
        }
    }

    /// Whether its message can be written.
    public var isWritable: Bool {
        get async { (try? await read().status) == .readWrite }
    }

    /// The content of a file of a Type 4 tag, a DESFire or an NTAG 424 DNA, by its identifier: E103 is the capability container,
    /// E104 the message; nil without such a file.
    public func file(_ identifier: UInt16) -> Data? {
        (try? TagImage(of: tag))?.files[identifier].map { Data($0) }
    }

    /// Everything in its memory, page by page; of a card with files the file with the message. Empty for a tag of the test's own: use
    /// ``state(of:)``.
    public var memory: Data {
        let tag = tag
        guard let image = try? TagImage(of: tag) else { return Data() }
        if image.kind == .type4 { return Data(image.files.filter { $0.key != 0xE103 }.values.flatMap { $0 }) }
        return Data((0..<image.unitCount).flatMap { image.unit($0) ?? [] })
    }

    private func read() async throws(TagError) -> NDEFReadResult {
        let copy = VirtualReader(tag: tag)
        copy.powerOn()
        let channel = CopyChannel(reader: copy)
        let identity = try await identify(atr: copy.answerToReset, channel: channel)
        return try await readNDEF(from: identity, channel: channel)
    }
}

/// The transport to the copy of a tag, for its driver.
private struct CopyChannel: CardChannel {
    let reader: VirtualReader

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        reader.transmit(command)
    }
}
