import ArgumentParser
import FoundationEssentials
import NDEF
import NFCClient
import NFCTypes

/// The spool that a tag becomes.
struct NewSpool: Sendable {
    /// What is written into the record, one after the other.
    let updates: [OpenPrintTagUpdate]
    /// A link for phones, in front of the record.
    let uri: String?
    let room: SpoolRoom

    /// - Parameters:
    ///   - updates: fields, of which the later ones count.
    ///   - uri: a link for phones.
    init(_ updates: [OpenPrintTagUpdate], uri: String?, room: SpoolRoom) throws {
        let usual = try OpenPrintTagUpdate(fields: ["material_class=FFF", "instance_uuid=\(Self.randomUUID)"])
        (self.updates, self.uri, self.room) = ([usual] + updates, uri, room)
    }

    private static var randomUUID: String { withUnsafeBytes(of: UUID().uuid) { Array($0) }.hexadecimal }

    /// The UUID that was given for this spool; nil for a random one, and without one.
    var givenInstance: [UInt8]? {
        let changes = updates.dropFirst().compactMap { $0.changes[.main]?["instance_uuid"] }
        if case .set(.uuid(let bytes))? = changes.last { return bytes }
        return nil
    }

    /// The bytes of the longest message of an NTAG216, the largest of the tags that are meant.
    static let largest = 868

    /// Refuses what no tag takes, or the specification does not allow, and prints what it advises against.
    ///
    /// - Parameter warns: whether that is printed.
    /// - Returns: the values that are unusual.
    /// - Throws: `ExitCode` 65, after printing the reason.
    @discardableResult
    func check(warns: Bool = true) throws -> [String] {
        let message: NDEFMessage
        do { message = try self.message(capacity: Self.largest) } catch {
            throw spoolRefusal("no tag can be one of this spool: \(error.message.escaped)")
        }
        guard let record = message.openPrintTag?.record else { return [] }
        try record.check(since: nil, identifier: [], warns: warns)
        return record.doubts
    }

    /// The message for a tag.
    ///
    /// - Parameter capacity: the bytes of the longest message that fits.
    /// - Throws: ``NDEFPayloadError`` if the tag or the record does not take it.
    func message(capacity: Int) throws(NDEFPayloadError) -> NDEFMessage {
        let layout = try OpenPrintTagLayout(capacity: capacity, auxSize: room.auxSize, uri: uri)
        var record = layout.record
        for update in updates { record = try record.applying(update) }
        if room.fixedWeight {
            let weight = record.aux?["consumed_weight"]?.value ?? .number(0)
            record = try record.changing(.aux, ["consumed_weight": .set(weight)], numbers: .fiveBytes)
        }
        return layout.message(with: record)
    }
}

/// The room for what changes with use.
struct SpoolRoom: ParsableArguments {
    @Option(help: ArgumentHelp("The room for what changes with use (default: 32).", valueName: "bytes"))
    var auxSize = 32

    @Flag(
        help: """
            Give the consumed weight five bytes, so that every change is a single write; the specification allows that, and not \
            every printer was tried.
            """)
    var fixedWeight = false

    func validate() throws {
        guard (16...500).contains(auxSize) else { throw ValidationError("--aux-size must be 16 to 500") }
    }
}

extension OpenPrintTagUpdate {
    /// Whether a field gets a value.
    var setsFields: Bool {
        changes.values.contains { section in
            section.values.contains { if case .set = $0 { true } else { false } }
        }
    }
}

extension NDEFMessage {
    /// The OpenPrintTag record and its index.
    var openPrintTag: (index: Int, record: OpenPrintTagRecord)? {
        for (index, record) in records.enumerated() {
            if case .openPrintTag(let found) = record.decoded { return (index, found) }
        }
        return nil
    }
}
