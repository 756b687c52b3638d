import ISO7816

/// Asks the reader for the identifier (`FF CA 00 00`, PC/SC Part 3, Get Data), tolerant of what readers make of Le.
struct IdentifierReader<Channel: CardChannel> {
    let channel: Channel
    let technology: TagTechnology

    /// The identifier in display order, empty if the reader has none.
    func read() async throws(TagError) -> [UInt8] {
        var le: UInt8 = 0
        // Le 00, the usual length where that is refused, the length the reader then names: never more than three.
        for _ in 0..<3 {
            let response = try await channel.exchange(CommandAPDU(cla: 0xFF, ins: 0xCA, p1: 0, p2: 0, le: le))
            if let identifier = accepted(response) { return displayOrder(identifier) }
            guard let next = nextLe(after: response.statusWord, le), next != le else { break }
            le = next
        }
        return []
    }

    /// An identifier shorter than Le may come with the warning 6282.
    private func accepted(_ response: ResponseAPDU) -> [UInt8]? {
        response.statusWord.isSuccess || response.statusWord == .endOfData ? response.data : nil
    }

    private func nextLe(after statusWord: StatusWord, _ le: UInt8) -> UInt8? {
        if statusWord.correctLength != nil { return statusWord.sw2 }
        return statusWord == .wrongLength && le == 0 ? usualLength : nil
    }

    /// What most tags of the technology have.
    private var usualLength: UInt8 {
        switch technology {
        case .feliCa, .iso15693: 8
        case .mifareClassic, .iso14443Part3(.b): 4
        default: 7
        }
    }

    /// Some readers give the ISO/IEC 15693 UID least significant byte first; its most significant byte is E0.
    private func displayOrder(_ identifier: [UInt8]) -> [UInt8] {
        guard technology == .iso15693, identifier.count == 8, identifier.first != 0xE0, identifier.last == 0xE0 else {
            return identifier
        }
        return identifier.reversed()
    }
}
