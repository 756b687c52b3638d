/// What is found in the text of a vCard.
struct VCardParsing {
    private(set) var properties: [VCardProperty] = []
    private(set) var warnings: [NDEFWarning.Code] = []

    /// How many vCards are open; one may be within another (vCard 2.1, `AGENT`).
    private var depth = 0
    private var isComplete = false

    init(_ text: [UInt8]) {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let lines = VCardLines(text.starts(with: byteOrderMark) ? Array(text.dropFirst(3)) : text)
        if lines.lines.first.map(Self.isBegin) != true { warnings.append(.vCardWithoutBegin) }
        for line in lines.lines {
            if isComplete {
                guard Self.isBegin(line) else { continue }
                warnings.append(.vCardSeveral)
                break
            }
            add(line, escapes: lines.isVersion21 ? .semicolon : .all)
        }
        if !isComplete { warnings.append(.vCardWithoutEnd) }
    }

    private mutating func add(_ line: [UInt8], escapes: VCardEscapes) {
        if Self.isBegin(line) {
            // What stood in front of the vCard is none of it.
            if depth == 0 { properties = [] }
            depth += 1
        } else if Self.isLine(line, "END:VCARD") {
            depth -= 1
            isComplete = depth <= 0
        } else if depth > 1 {
            return
        } else if let property = VCardProperty(line: line, escapes: escapes) {
            properties.append(property)
        } else {
            warnings.appendOnce(.vCardMalformedLine)
        }
    }

    private static func isBegin(_ line: [UInt8]) -> Bool { isLine(line, "BEGIN:VCARD") }

    private static func isLine(_ line: [UInt8], _ text: String) -> Bool {
        guard line.prefix(text.utf8.count).map(\.upperCased).elementsEqual(text.utf8) else { return false }
        return line.dropFirst(text.utf8.count).allSatisfy { $0 == 0x20 || $0 == 0x09 }
    }
}
