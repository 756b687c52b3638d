import FoundationEssentials
package import NDEF
import NFCTags

extension NDEFDecoding {
    /// The promises of the library that a message decoded from `bytes` breaks; none, whatever the bytes are.
    package func brokenPromises(decodedFrom bytes: [UInt8]) -> [String] {
        guard let encoded = try? message.encoded() else { return ["a decoded message can be encoded"] }
        var broken = message.records.flatMap(\.brokenPromises)
        if encoded.count != message.encodedLength { broken.append("the encoded length is known before") }
        guard let again = try? NDEFMessage.decode(encoded), again.message == message else {
            return broken + ["what was encoded decodes to the same message"]
        }
        if encoded.count > bytes.count { broken.append("no form is shorter than the canonical one") }
        if encoded.count == bytes.count, encoded != bytes { broken.append("there is one canonical form") }
        if !message.isKeptByJSON { broken.append("the JSON form keeps the message") }
        return broken
    }
}

extension NDEFMessage {
    /// The promises of the JSON form that this message breaks.
    package var isKeptByJSON: Bool {
        guard let json = try? JSONEncoder().encode(self) else { return false }
        return (try? JSONDecoder().decode(NDEFMessage.self, from: json)) == self
    }
}

extension NDEFRecord {
    /// The promises of the library that this record breaks; none, whatever its bytes are.
    package var brokenPromises: [String] {
        var broken: [String] = []
        if description.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            broken.append("a description has no control characters")
        }
        let decoded = self.decoded
        if let content = decoded.content {
            broken += decoded.brokenPromises(NDEFRecord(content, identifier: identifier))
        }
        return broken
    }
}

extension DecodedPayload {
    /// The promises that do not hold between what was decoded and the canonical record that says it.
    fileprivate func brokenPromises(_ canonical: NDEFRecord) -> [String] {
        var broken: [String] = []
        if canonical.decoded != self { broken.append("a payload that is encoded again decodes to the same value") }
        if let content = canonical.decoded.content,
            NDEFRecord(content, identifier: canonical.identifier) != canonical
        {
            broken.append("the canonical form is encoded unchanged")
        }
        if !isKeptByJSON { broken.append("the decoded form alone makes a record that says the same") }
        return broken
    }

    private var isKeptByJSON: Bool {
        guard let content,
            let json = try? JSONEncoder().encode(["decoded": DecodedForm(content: content)]),
            let record = try? JSONDecoder().decode(NDEFRecord.self, from: json)
        else { return false }
        return record.decoded == self
    }
}

extension OpenPrintTagRecord {
    /// The promises about changes in place that do not hold for this record; none, whatever its bytes are.
    package var brokenUpdatePromises: [String] {
        let weights: [Double] = [0, 300, 12.5]
        return weights.flatMap { weight in
            OpenPrintTagNumberForm.all.flatMap { brokenPromises(weight: weight, numbers: $0) }
        }
    }

    private func brokenPromises(weight: Double, numbers: OpenPrintTagNumberForm) -> [String] {
        let value = OpenPrintTagValue.number(weight)
        let changes = ["consumed_weight": OpenPrintTagChange.set(value)]
        guard let new = try? changing(.aux, changes, numbers: numbers) else { return [] }
        var broken: [String] = []
        if new.aux?["consumed_weight"] != .value(value) { broken.append("a field that is set has its value") }
        if new.withoutWeight != withoutWeight { broken.append("all other fields stay as they are") }
        if new.payload.count != payload.count { broken.append("a change keeps the length") }
        for (blockSize, offset) in [(4, 0), (4, 3), (16, 5)] {
            broken += brokenPromises(of: new, blockSize: blockSize, offset: offset)
        }
        return broken
    }

    /// The promises that do not hold between the writes from this record to a new one.
    private func brokenPromises(of new: OpenPrintTagRecord, blockSize: Int, offset: Int) -> [String] {
        guard let states = try? states(to: new, blockSize: blockSize, offset: offset) else {
            return ["a change can be written"]
        }
        let broken =
            states.allSatisfy { isReadable($0, or: new) } ? [] : ["each write leaves a section that can be read"]
        return states.last ?? payload == new.payload ? broken : broken + ["the writes make the new payload"]
    }

    /// The payload after each write with which a driver turns it into a new one.
    ///
    /// - Parameters:
    ///   - blockSize: the bytes that the tag writes at once.
    ///   - offset: where the payload starts, counted from the start of a block.
    package func states(to new: OpenPrintTagRecord, blockSize: Int, offset: Int) throws -> [[UInt8]] {
        var memory = [UInt8](repeating: 0x5A, count: offset) + payload
        memory += [UInt8](repeating: 0x5A, count: blockSize - memory.count % blockSize)
        var states: [[UInt8]] = []
        for difference in try differences(to: new) {
            let update = try RecordUpdate(
                record: 0, offset: difference.offset, old: difference.old, new: difference.new,
                stop: .init(offset: difference.offset, byte: difference.ending))
            states += try update.states(of: memory, blockSize: blockSize, payloadAt: offset)
            memory = states.last ?? memory
        }
        return states.map { Array($0.dropFirst(offset).prefix(payload.count)) }
    }

    /// Whether the aux section of these bytes has fields of this record or the new one only, and the same in main.
    private func isReadable(_ bytes: [UInt8], or new: OpenPrintTagRecord) -> Bool {
        guard let state = try? OpenPrintTagRecord(payload: bytes), let fields = state.auxFields else { return false }
        return (fields.isSubset(of: auxFields ?? []) || fields == new.auxFields) && state.main == main
    }

    /// The fields of aux by their bytes.
    private var auxFields: Set<[[UInt8]]>? {
        guard let aux, aux.usedSize != nil else { return nil }
        let known = aux.fields.map { field, result in [Array(field.name.utf8), Array("\(result)".utf8)] }
        return Set(known + aux.unknownFields.map { [$0.key, $0.value] })
    }

    private var withoutWeight: Set<[[UInt8]]>? {
        auxFields?.filter { $0.first != Array("consumed_weight".utf8) }
    }
}

extension OpenPrintTagNumberForm {
    fileprivate static let all: [Self] = [.shortest, .fiveBytes]
}

/// Inputs to start from, one file for each fuzz target: `Fuzz/Seeds/NAME.txt`.
package enum Seeds {
    /// The lines of a file, without comments; empty if there is no such file.
    package static func lines(_ name: String) -> [String] {
        guard let text = try? String(contentsOfFile: folder + name + ".txt", encoding: .utf8) else { return [] }
        return text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    }

    /// The payloads of a kind, which are hexadecimal in their file; nil where a line is something else.
    package static func payloads(_ kind: String) -> [[UInt8]]? {
        let lines = lines(kind)
        let payloads = lines.compactMap { [UInt8](hexadecimal: $0.filter { $0 != " " }) }
        return payloads.count == lines.count && !lines.isEmpty ? payloads : nil
    }

    private static let folder =
        #filePath.split(separator: "/", omittingEmptySubsequences: false)
        .dropLast(3).joined(separator: "/") + "/Fuzz/Seeds/"
}
