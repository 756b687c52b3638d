/// What a Bluetooth device tells of itself: a list of EIR or AD structures (Bluetooth Core Specification, Vol 3, Part C, §8
/// and §11; the types are in the supplement, CSS, Part A).
///
/// The list is kept as it was found. Properties such as ``name`` show what is in it; each looks at the first structure of
/// its type only, and is nil where that is missing or not of its form. What none of them shows is in ``other``.
public struct BluetoothData: Sendable, Hashable {
    /// The structures in their order, padding left out; with their lengths 65,527 bytes at most, which is what the pairing
    /// data of BR/EDR can hold.
    public let structures: [BluetoothDataStructure]

    /// No structures.
    public init() {
        structures = []
    }

    /// These structures in this order.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `EIR_TOO_LONG`.
    public init(structures: [BluetoothDataStructure]) throws(NDEFPayloadError) {
        try Self.checkLength(structures.reduce(0) { $0 + $1.encodedLength })
        self.structures = structures
    }

    /// Decodes structures. Padding, a structure that is not of the form of its type, and a second one of its type are
    /// forgiven with a warning.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `EIR_OVERRUN` or `EIR_TOO_LONG`.
    init(decoding bytes: ArraySlice<UInt8>, warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        try Self.checkLength(bytes.count)
        var structures: [BluetoothDataStructure] = []
        var reader = ByteReader(bytes)
        // A length of 0 ends the list.
        while let length = reader.uint8(), length > 0 {
            let body = reader.bytes(Int(length)).flatMap(BluetoothDataStructure.init(body:))
            guard let body else { throw .overrun(length, remaining: reader.remaining) }
            structures.append(body)
        }
        self.structures = structures
        if let warning = Self.warning(end: bytes, rest: reader.rest, structures) { warnings.append(warning) }
        warnings += fieldWarnings
    }

    /// Length on the tag, in bytes.
    var encodedLength: Int { structures.reduce(0) { $0 + $1.encodedLength } }

    /// The structures, each with its length in front.
    var bytes: [UInt8] {
        structures.flatMap { [UInt8(truncatingIfNeeded: $0.data.count + 1), $0.type] + $0.data }
    }

    /// What the 16-bit length of ``BluetoothEasyPairingRecord`` leaves for structures.
    private static let maximumLength = 0xFFFF - BluetoothEasyPairingRecord.headerLength

    private static func checkLength(_ length: Int) throws(NDEFPayloadError) {
        guard length <= maximumLength else {
            let reason = "the structures take \(length) bytes, more than the \(maximumLength) that there can be"
            throw NDEFPayloadError(.bluetoothDataTooLong, reason)
        }
    }
}

// MARK: - What is odd

extension BluetoothData {
    /// The warning about what stands behind the last structure.
    private static func warning(
        end bytes: ArraySlice<UInt8>, rest: ArraySlice<UInt8>, _ structures: [BluetoothDataStructure]
    ) -> NDEFWarning.Code? {
        let length = structures.reduce(0) { $0 + $1.encodedLength }
        guard length < bytes.count else { return nil }
        return rest.allSatisfy { $0 == 0 } ? .bluetoothDataPadding : .bluetoothDataAfterEnd
    }

    private var fieldWarnings: [NDEFWarning.Code] {
        var known: Set<UInt8> = []
        var isRepeated = false
        var isMalformed = false
        for structure in structures {
            guard let form = BluetoothDataForm.byType[structure.type] else { continue }
            if known.insert(structure.type).inserted {
                isMalformed = isMalformed || form.isMalformed(structure.data)
            } else {
                isRepeated = true
            }
        }
        return (isMalformed ? [.bluetoothDataMalformed] : []) + (isRepeated ? [.bluetoothDataRepeated] : [])
    }
}

extension NDEFPayloadError {
    fileprivate static func overrun(_ length: UInt8, remaining: Int) -> Self {
        let reason =
            "structure of \(counted(Int(length), "byte")) runs past the end of the payload "
            + "(\(counted(remaining, "byte")) left)"
        return Self(.bluetoothDataOverrun, reason)
    }
}
