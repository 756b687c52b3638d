/// The answer to Get System Information (ISO/IEC 15693-3, 10.4.12); -1 for what the tag does not tell.
struct VicinityInformation: Sendable {
    /// As it came, least significant byte first.
    let identifier: Data
    var format = -1
    var family = -1
    var blockSize = -1
    var blockCount = -1
    var reference = -1

    init(_ answer: VicinityAnswer) throws(NFCReaderError) {
        guard answer.bytes.count >= 9 else {
            throw answer.unexpectedLength("\(answer.bytes.count) bytes of information")
        }
        let present = answer.bytes[0]
        identifier = Data(answer.bytes[1..<9])
        var rest = answer.bytes.dropFirst(9)
        func next() throws(NFCReaderError) -> Int {
            guard let byte = rest.popFirst() else { throw answer.unexpectedLength("the information breaks off") }
            return Int(byte)
        }
        if present & 0x01 != 0 { format = try next() }
        if present & 0x02 != 0 { family = try next() }
        if present & 0x04 != 0 {
            blockCount = try next() + 1
            blockSize = (try next() & 0x1F) + 1
        }
        if present & 0x08 != 0 { reference = try next() }
    }
}
