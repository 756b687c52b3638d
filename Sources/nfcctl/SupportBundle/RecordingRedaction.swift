import Cryptography
import NFCTypes
import TagRecordings

/// Takes the identities of tags out of the exchanges of a recording.
///
/// Each UID is replaced by another one of its length and manufacturer, wherever it is: alone, in reverse, and with check bytes in the
/// first blocks of a tag (ISO/IEC 14443-3, BCC). Signatures and production data are masked. A visit that does not show its UID as a
/// whole may show it in a form that is not known here: all its data is masked.
struct RecordingRedaction {
    /// The lines, in which texts are as they were.
    private(set) var lines: [RecordingLine]
    /// The UIDs that were replaced.
    private(set) var identifierCount = 0
    /// The exchanges of which all data was masked.
    private(set) var maskedCount = 0

    /// Bytes of which a UID consists, and what replaces them.
    private struct Form {
        let old: [UInt8]
        let new: [UInt8]
    }

    /// Redacts the lines of a recording.
    ///
    /// - Parameter key: decides what replaces a UID.
    init(_ recording: Recording, key: SecretBytes) {
        lines = recording.lines
        let visits = Self.visits(of: lines, recording)
        var identifiers: Set<[UInt8]> = []
        for visit in visits {
            var mask = IdentifierMask(answerToReset: visit.answerToReset)
            var isKnown = false
            for index in visit.exchanges {
                guard let command = lines[index].command else { continue }
                let exchange = mask.take(command, lines[index].answer)
                identifiers.formUnion(exchange.identifiers.map(Self.canonical))
                isKnown = isKnown || !exchange.identifiers.isEmpty
                (lines[index].command, lines[index].answer) = (exchange.command, exchange.answer)
            }
            guard !isKnown else { continue }
            for index in visit.exchanges { hideData(ofLine: index) }
        }
        identifierCount = identifiers.count
        let forms = identifiers.flatMap { identifier in
            let other = Self.replacement(of: identifier, HMACSHA256.code(of: identifier, key: key))
            return zip(Self.forms(identifier), Self.forms(other)).map { Form(old: $0, new: $1) }
        }.sorted { $0.old.count > $1.old.count }
        // A recording of a day has many UIDs: each byte is compared with those alone that begin with it.
        let formsByStart = Dictionary(grouping: forms) { $0.old[0] }
        for index in lines.indices {
            let line = lines[index]
            lines[index].command = line.command.map { Self.replacing($0, formsByStart) }
            lines[index].answer = line.answer.map { Self.replacing($0, formsByStart) }
            lines[index].atr = line.atr.map { HexBytes(Self.replacing(MaskedBytes($0.bytes), formsByStart).filled) }
            if lines[index].command?.isMasked == true || lines[index].answer?.isMasked == true {
                lines[index].masked = true
            }
        }
    }

    /// The exchanges while a tag was on a reader, as the numbers of their lines.
    private struct Visit {
        var answerToReset: [UInt8]
        var exchanges: [Int] = []
    }

    private static func visits(of lines: [RecordingLine], _ recording: Recording) -> [Visit] {
        var visits: [Visit] = []
        var open: [String: Int] = [:]
        for (index, line) in lines.enumerated() {
            let reader = line.reader ?? ""
            switch line.event {
            case .leave, .detach: open[reader] = nil
            case .arrive, .connect, .transmit, .control:
                if line.event == .arrive { open[reader] = nil }
                let visit = open[reader] ?? visits.count
                if visit == visits.count { visits.append(Visit(answerToReset: line.atr?.bytes ?? [])) }
                open[reader] = visit
                if let atr = line.atr { visits[visit].answerToReset = atr.bytes }
                if line.command != nil { visits[visit].exchanges.append(index) }
            default: break
            }
        }
        return visits
    }

    /// What of a command says which one it is: the header of an APDU and its length.
    private static let openBytes = 5

    /// Masks all data; the header of the command and the status word stay.
    private mutating func hideData(ofLine index: Int) {
        func masked(_ bytes: [UInt8?], _ range: Range<Int>) -> MaskedBytes {
            MaskedBytes(masking: bytes.enumerated().map { range.contains($0) ? nil : $1 })
        }
        let before = lines[index]
        lines[index].command = before.command.map {
            masked($0.bytes, min(Self.openBytes, $0.bytes.count)..<$0.bytes.count)
        }
        lines[index].answer = before.answer.map { masked($0.bytes, 0..<max(0, $0.bytes.count - 2)) }
        if lines[index] != before { maskedCount += 1 }
    }

    // MARK: Forms of a UID

    /// A UID of ISO/IEC 15693 in the order of its frames, so that both orders are replaced by the same one.
    private static func canonical(_ identifier: [UInt8]) -> [UInt8] {
        identifier.count == 8 && identifier.first == 0xE0 && identifier.last != 0xE0
            ? identifier.reversed() : identifier
    }

    private static func replacement(of identifier: [UInt8], _ code: [UInt8]) -> [UInt8] {
        if identifier.count == 8, identifier.last == 0xE0 { return Array(code.prefix(6) + identifier.suffix(2)) }
        return [identifier[0]] + code.prefix(identifier.count - 1)
    }

    /// How a UID appears in exchanges.
    private static func forms(_ identifier: [UInt8]) -> [[UInt8]] {
        func check(_ bytes: some Sequence<UInt8>) -> UInt8 { bytes.reduce(0, ^) }
        let whole = [identifier, identifier.reversed()]
        switch identifier.count {
        case 4: return [identifier + [check(identifier)]] + whole
        case 7:
            let (first, second) = (Array(identifier.prefix(3)), Array(identifier.dropFirst(3)))
            return whole + [
                first + [0x88 ^ check(first)] + second + [check(second)], first + [0x88 ^ check(first)], second,
            ]
        default: return whole
        }
    }

    /// Bytes with each form replaced; the longest one first.
    private static func replacing(_ bytes: MaskedBytes, _ forms: [UInt8: [Form]]) -> MaskedBytes {
        var result = bytes.bytes
        var index = 0
        while index < result.count {
            let rest = result[index...]
            let form = result[index].flatMap { forms[$0] }?.first { rest.starts(with: $0.old) { $0 == $1 } }
            guard let form else {
                index += 1
                continue
            }
            let end = index + form.old.count
            result.replaceSubrange(index..<end, with: form.new.map(Optional.some))
            index = end
        }
        return MaskedBytes(masking: result)
    }
}
