public import CoreNFC
import NDEF
import TagRecordings
public import VirtualTags

/// A virtual tag to be put on a reader: a product with what it holds, the copy of a real tag, or a card that the test programs.
///
/// ```swift
/// try await withVirtualTag(.ntag215(uri: "https://example.com")) { tag in … }
/// ```
///
/// ``card(identifier:historicalBytes:features:applications:)`` makes cards with applications of the test's own.
public struct TestTag: Sendable {
    /// What it is: the name of the product, as `nfcctl virtual-tag --list` has it, or the name of the dump file.
    public let model: String
    private let source: Source
    private var identifier: [UInt8]?
    private(set) var faults = FaultPlan.none

    /// Where the tag comes from.
    private enum Source: Sendable {
        case product(TestTagContent)
        case tag(any VirtualTag)
        case maker(@Sendable (_ identifier: [UInt8]?) throws -> any VirtualTag)
    }

    init(_ model: String, _ content: TestTagContent) {
        self.model = model
        source = .product(content)
    }

    /// A tag that is made when it is presented; the function gets the identifier that the test asks for, nil for its own.
    init(_ model: String, made: @escaping @Sendable (_ identifier: [UInt8]?) throws -> any VirtualTag) {
        self.model = model
        source = .maker(made)
    }

    /// Any virtual tag: a model of the module VirtualTags in any state, or a type of the test's own.
    public init(_ tag: any VirtualTag) {
        model = "\(type(of: tag))"
        source = .tag(tag)
    }

    /// The tag that was dumped to a file: with its UID, its content, its locks and counters.
    ///
    /// `nfcctl dump` writes such files. Flipper `.nfc` files, JSON and binaries of the proxmark3, texts of MIFARE Classic Tool,
    /// and the raw memory of Type 2 tags, Type 5 tags and MIFARE Classic cards are read as well. Where a line of the file and the
    /// memory in it differ, the memory is right.
    ///
    /// - Parameter filler: the value of bytes that the file does not have; without it, such a file is refused.
    /// - Throws: ``TestTagError`` for a file that cannot be read, or of which no tag can be made.
    public init(dump file: URL, filler: UInt8? = nil) throws {
        model = file.lastPathComponent
        do {
            let content = try Data(contentsOf: file)
            source = .tag(try TagImage.read(dump: Array(content)).image.makeTag(filler: filler))
        } catch let error as DumpError {
            let advice = error.reason == .incomplete ? "; give a filler for missing bytes" : ""
            throw TestTagError("\(file.path): \(error)\(advice)")
        } catch {
            throw TestTagError("\(file.path) cannot be read: \(error.localizedDescription)")
        }
    }

    /// The first tag of a recording that `nfcctl record --with-content` made: it answers the commands that were recorded, in the state
    /// in which they were recorded, and not in their order. Put it on a reader of the recorded family: ``withVirtualTag(_:_:)`` does.
    ///
    /// The test fails if the app, or nfcd for it, sends a command that was not recorded.
    ///
    /// - Throws: ``TestTagError`` for a file that cannot be read, or is not a recording with a tag.
    public init(recording file: URL) throws {
        model = file.lastPathComponent
        do {
            source = .tag(try RecordedTag(try Recording(Array(try Data(contentsOf: file)))))
        } catch let error as RecordingError {
            throw TestTagError("\(file.path): \(error)")
        } catch {
            throw TestTagError("\(file.path) cannot be read: \(error.localizedDescription)")
        }
    }

    /// The same with another identifier; its length has to be the product's. The identifier of a dump, or of a tag of the test's
    /// own, cannot be changed.
    public func with(identifier: Data) -> TestTag {
        var tag = self
        tag.identifier = Array(identifier)
        return tag
    }

    /// The tag itself.
    func made() throws(TestTagError) -> any VirtualTag {
        do {
            switch source {
            case .product(let content):
                return try VirtualTagModel.named(model).makeTag(
                    identifier: identifier, ndefMessage: try content.encoded())
            case .maker(let make): return try make(identifier)
            case .tag(let tag):
                guard identifier == nil else {
                    throw TestTagError("its identifier cannot be changed; make the tag with the identifier")
                }
                return tag
            }
        } catch {
            throw TestTagError("\(model): \(error)")
        }
    }
}

/// What goes wrong with a tag on its reader. Exchanges are those of the reader with the tag, counted from 1 with the first
/// that follows the tag's arrival: a session needs some of them to identify a tag, and a raw frame may take several.
extension TestTag {
    /// The same, but torn away by an exchange: the tag carries the command out, and its answer is lost.
    public func tornAway(atExchange number: Int) -> TestTag { adding(.removeDuring, at: number) }

    /// The same, but taken away before an exchange: the tag does not receive the command.
    public func removed(beforeExchange number: Int) -> TestTag { adding(.removeBefore, at: number) }

    /// The same, but taken away after an exchange: the answer has arrived, and the next command finds no tag.
    public func removed(afterExchange number: Int) -> TestTag { adding(.removeAfter, at: number) }

    /// The same, but the answer of an exchange takes longer.
    ///
    /// - Parameter number: the exchange; nil for every one.
    public func delayed(by duration: Duration, atExchange number: Int? = nil) -> TestTag {
        adding(.delay(duration), at: number)
    }

    /// The same, but other bytes arrive instead of an answer: for example `Data([0x6F, 0x00])`, or none. The tag carries the
    /// command out.
    ///
    /// - Parameters:
    ///   - answer: what the reader passes on, data and status word.
    ///   - number: the exchange; nil for every one.
    public func answering(_ answer: Data, atExchange number: Int? = nil) -> TestTag {
        adding(.answer(Array(answer)), at: number)
    }

    private func adding(_ fault: Fault, at number: Int?) -> TestTag {
        var tag = self
        if let number { tag.faults.add(fault, at: number) } else { tag.faults.addToEveryExchange(fault) }
        return tag
    }
}

/// Why a virtual tag cannot be made or presented.
public struct TestTagError: Error, Sendable, CustomStringConvertible {
    /// The reason in words.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension TestTag {
    /// Any product by its name, such as `slix2`, as it is delivered.
    public static func model(_ name: String) -> TestTag { TestTag(name, .asDelivered) }
    /// Any product by its name, holding a message.
    public static func model(_ name: String, message: NFCNDEFMessage) -> TestTag { TestTag(name, .message(message)) }
    /// Any product by its name, holding a link.
    public static func model(_ name: String, uri: String) -> TestTag { TestTag(name, .uri(uri)) }
}

// The models for each type of CoreNFC. Without a message tags are formatted and empty.

extension TestTag {
    /// NTAG213, 144 bytes: `NFCMiFareTag`, family ultralight.
    public static func ntag213(_ message: NFCNDEFMessage? = nil) -> TestTag { holding("ntag213", message) }
    /// NTAG213 with a link.
    public static func ntag213(uri: String) -> TestTag { model("ntag213", uri: uri) }
    /// NTAG215, 504 bytes: `NFCMiFareTag`, family ultralight.
    public static func ntag215(_ message: NFCNDEFMessage? = nil) -> TestTag { holding("ntag215", message) }
    /// NTAG215 with a link.
    public static func ntag215(uri: String) -> TestTag { model("ntag215", uri: uri) }
    /// NTAG216, 888 bytes: `NFCMiFareTag`, family ultralight.
    public static func ntag216(_ message: NFCNDEFMessage? = nil) -> TestTag { holding("ntag216", message) }
    /// NTAG216 with a link.
    public static func ntag216(uri: String) -> TestTag { model("ntag216", uri: uri) }
    /// MIFARE Classic 1K: `NFCMiFareTag`, family unknown.
    public static func classic1K(_ message: NFCNDEFMessage? = nil) -> TestTag { holding("mifare-classic-1k", message) }
    /// MIFARE DESFire EV1 with an NDEF application: `NFCISO7816Tag` or `NFCMiFareTag`, as the session asks for. The card
    /// master key is DES of zeros, the key of the application AES of zeros; commands with keys work as on the chip.
    ///
    /// - Parameter isWritable: whether the message may be written without a key.
    public static func desfire(_ message: NFCNDEFMessage? = nil, isWritable: Bool = true) -> TestTag {
        TestTag("desfire-ev1") { identifier in
            try VirtualDESFireCard(
                product: .desfireEV1, identifier: identifier, ndefMessage: try TestTagContent(message).encoded(),
                isWritable: isWritable)
        }
    }
    /// NTAG 424 DNA: as DESFire. Commands with keys work as on the chip, in plain, with MAC, and enciphered.
    ///
    /// - Parameters:
    ///   - keys: keys 0 to 4 of 16 bytes each, as far as they are not zero, as delivered.
    ///   - isWritable: whether the message may be written without a key.
    public static func ntag424(
        _ message: NFCNDEFMessage? = nil, keys: [UInt8: Data] = [:], isWritable: Bool = true
    ) -> TestTag {
        TestTag("ntag424") { identifier in
            try VirtualNTAG424Card(
                identifier: identifier, ndefMessage: try TestTagContent(message).encoded(),
                keys: keys.mapValues { Array($0) }, isWritable: isWritable)
        }
    }
    /// An NFC Forum Type 4 tag: `NFCISO7816Tag`.
    public static func type4(_ message: NFCNDEFMessage? = nil) -> TestTag { holding("type4", message) }
    /// An NFC Forum Type 4 tag with a link.
    public static func type4(uri: String) -> TestTag { model("type4", uri: uri) }
    /// FeliCa Lite-S: `NFCFeliCaTag`.
    public static func feliCaLiteS(_ message: NFCNDEFMessage? = nil) -> TestTag { holding("felica-lite-s", message) }
    /// Topaz 512: only sessions for messages see it.
    public static func topaz512(_ message: NFCNDEFMessage? = nil) -> TestTag { holding("topaz512", message) }
    /// Topaz 512 with a link.
    public static func topaz512(uri: String) -> TestTag { model("topaz512", uri: uri) }
    /// ICODE SLIX: `NFCISO15693Tag`.
    public static func slix(_ message: NFCNDEFMessage? = nil) -> TestTag { holding("slix", message) }
    /// ST25DV04K: `NFCISO15693Tag`.
    public static func st25dv(_ message: NFCNDEFMessage? = nil) -> TestTag { holding("st25dv04k", message) }

    private static func holding(_ name: String, _ message: NFCNDEFMessage?) -> TestTag {
        TestTag(name, TestTagContent(message))
    }
}

/// What a virtual tag holds when it is presented.
enum TestTagContent: Sendable {
    /// What the product is delivered with.
    case asDelivered
    /// No message, on a formatted tag.
    case nothing
    case message(NFCNDEFMessage)
    /// A message of one link.
    case uri(String)

    /// A message, or nothing.
    init(_ message: NFCNDEFMessage?) {
        self = message.map { .message($0) } ?? .nothing
    }

    /// The message's bytes; nil for what the product is delivered with.
    func encoded() throws -> [UInt8]? {
        switch self {
        case .asDelivered: nil
        case .nothing: []
        case .message(let message): try message.encodedBytes()
        case .uri(let uri): try NDEF.NDEFMessage(records: [NDEFRecord(try URIRecord(uri))]).encoded()
        }
    }
}
