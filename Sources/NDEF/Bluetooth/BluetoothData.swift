/// What a Bluetooth device reports about itself: a list of EIR or AD structures (Bluetooth Core Specification, Vol 3, Part C, §8
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
    /// tolerated with a warning.
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

// MARK: - Warnings

extension BluetoothData {
    /// The warning about what follows the last structure.
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

extension BluetoothData {
    /// The complete name of the device (09).
    public var name: String? { self[BluetoothDataFields.name] }
    /// The name of the device, cut short (08).
    public var shortenedName: String? { self[BluetoothDataFields.shortenedName] }
    /// What kind of device it is: 24 bits (0D; Bluetooth Assigned Numbers).
    public var classOfDevice: UInt32? { self[BluetoothDataFields.classOfDevice] }
    /// All service classes of the device; for each width of UUID the list may be missing (03, 05, 07).
    public var serviceClassUUIDs: [BluetoothUUID] {
        [BluetoothDataFields.uuids16, BluetoothDataFields.uuids32, BluetoothDataFields.uuids128]
            .flatMap { self[$0] ?? [] }
    }
    /// Some service classes of the device, where the list is not complete (02, 04, 06).
    public var incompleteServiceClassUUIDs: [BluetoothUUID] {
        let fields = [
            BluetoothDataFields.incompleteUUIDs16, BluetoothDataFields.incompleteUUIDs32,
            BluetoothDataFields.incompleteUUIDs128,
        ]
        return fields.flatMap { self[$0] ?? [] }
    }
    /// The hash C-192 of secure simple pairing: 16 bytes, the least significant first (0E).
    public var simplePairingHashC192: [UInt8]? { self[BluetoothDataFields.simplePairingHashC192] }
    /// The randomizer R-192 of secure simple pairing: 16 bytes, the least significant first (0F).
    public var simplePairingRandomizerR192: [UInt8]? { self[BluetoothDataFields.simplePairingRandomizerR192] }
    /// The hash C-256 of secure simple pairing: 16 bytes, the least significant first (1D).
    public var simplePairingHashC256: [UInt8]? { self[BluetoothDataFields.simplePairingHashC256] }
    /// The randomizer R-256 of secure simple pairing: 16 bytes, the least significant first (1E).
    public var simplePairingRandomizerR256: [UInt8]? { self[BluetoothDataFields.simplePairingRandomizerR256] }
    /// The address for Low Energy (1B).
    public var leAddress: BluetoothLEAddress? { self[BluetoothDataFields.leAddress] }
    /// The roles that the device takes for Low Energy (1C).
    public var leRole: BluetoothLERole? { self[BluetoothDataFields.leRole] }
    /// The temporary key of the security manager, for legacy pairing: 16 bytes, the least significant first (10).
    public var securityManagerTK: [UInt8]? { self[BluetoothDataFields.securityManagerTK] }
    /// The confirmation value of LE Secure Connections: 16 bytes, the least significant first (22).
    public var leSecureConnectionsConfirmation: [UInt8]? {
        self[BluetoothDataFields.leSecureConnectionsConfirmation]
    }
    /// The random value of LE Secure Connections: 16 bytes, the least significant first (23).
    public var leSecureConnectionsRandom: [UInt8]? { self[BluetoothDataFields.leSecureConnectionsRandom] }
    /// How the device looks from outside (19; Bluetooth Assigned Numbers).
    public var appearance: UInt16? { self[BluetoothDataFields.appearance] }
    /// What the device is capable of (01); nil if there is not exactly one byte.
    public var flags: BluetoothFlags? { self[BluetoothDataFields.flags] }
    /// The power it sends with, in dBm (0A).
    public var txPowerLevel: Int8? { self[BluetoothDataFields.txPowerLevel] }
    /// The structures that no other property shows, in their order.
    public var other: [BluetoothDataStructure] { parts.other }

    /// The structures in the order in which fields are written: those that properties show, then the others.
    var canonicalStructures: [BluetoothDataStructure] {
        let (shown, other) = parts
        return BluetoothDataForm.all.compactMap { shown[$0.type] } + other
    }

    private subscript<Value>(field: BluetoothDataField<Value>) -> Value? {
        structures.first { $0.type == field.type }.flatMap { field.read($0.data) }
    }

    private var parts: (shown: [UInt8: BluetoothDataStructure], other: [BluetoothDataStructure]) {
        var known: Set<UInt8> = []
        var shown: [UInt8: BluetoothDataStructure] = [:]
        var other: [BluetoothDataStructure] = []
        for structure in structures {
            let isFirst = known.insert(structure.type).inserted
            if isFirst, BluetoothDataForm.byType[structure.type]?.isReadable(structure.data) == true {
                shown[structure.type] = structure
            } else {
                other.append(structure)
            }
        }
        return (shown, other)
    }
}

extension BluetoothData: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case name, shortenedName, classOfDevice, serviceClassUUIDs, incompleteServiceClassUUIDs
        case simplePairingHashC192, simplePairingRandomizerR192, simplePairingHashC256, simplePairingRandomizerR256
        case leAddress, leRole, securityManagerTK, leSecureConnectionsConfirmation, leSecureConnectionsRandom
        case appearance, flags, txPowerLevel, other, order
    }

    /// Writes a field for each property that has a value, under its name: `classOfDevice` as six hexadecimal digits, keys,
    /// hashes and random numbers as hexadecimal digits, `leRole` and `flags` as names. Structures that have no field go to
    /// `other`, each with `type` and `data` (hexadecimal). Where the structures are not in the order that they are written
    /// in, `order` has their types.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try encodeGeneral(to: &container)
        try encodePairing(to: &container)
        if !other.isEmpty { try container.encode(other, forKey: .other) }
        if structures != canonicalStructures {
            try container.encode(hexadecimal: structures.map(\.type), forKey: .order)
        }
    }

    private func encodeGeneral(to container: inout KeyedEncodingContainer<CodingKeys>) throws {
        try container.encodeIfPresent(name, forKey: .name)
        try container.encodeIfPresent(shortenedName, forKey: .shortenedName)
        let classBytes = classOfDevice.map { Array($0.bigEndianBytes.dropFirst()) }
        try container.encodeIfPresent(classBytes?.hexadecimal, forKey: .classOfDevice)
        try container.encodeIfNotEmpty(serviceClassUUIDs, forKey: .serviceClassUUIDs)
        try container.encodeIfNotEmpty(incompleteServiceClassUUIDs, forKey: .incompleteServiceClassUUIDs)
        try container.encodeIfPresent(leAddress, forKey: .leAddress)
        if let leRole { try container.encode(named: leRole, forKey: .leRole) }
        try container.encodeIfPresent(appearance, forKey: .appearance)
        try container.encodeIfPresent(flags, forKey: .flags)
        try container.encodeIfPresent(txPowerLevel, forKey: .txPowerLevel)
    }

    private func encodePairing(to container: inout KeyedEncodingContainer<CodingKeys>) throws {
        let fields: [(CodingKeys, [UInt8]?)] = [
            (.simplePairingHashC192, simplePairingHashC192),
            (.simplePairingRandomizerR192, simplePairingRandomizerR192),
            (.simplePairingHashC256, simplePairingHashC256),
            (.simplePairingRandomizerR256, simplePairingRandomizerR256),
            (.securityManagerTK, securityManagerTK),
            (.leSecureConnectionsConfirmation, leSecureConnectionsConfirmation),
            (.leSecureConnectionsRandom, leSecureConnectionsRandom),
        ]
        for (key, value) in fields { try container.encodeIfPresent(value?.hexadecimal, forKey: key) }
    }

    /// Reads any of the fields that are written; all may be missing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        var reader = FieldReader(container: container)
        try reader.readGeneral()
        try reader.readPairing()
        let other = try container.decodeIfPresent([BluetoothDataStructure].self, forKey: .other) ?? []
        let builder = reader.builder
        let data = try container.accepting(.other) { () throws(NDEFPayloadError) in
            try BluetoothData(builder, other: other)
        }
        guard let order = try container.decodeHexadecimalIfPresent(forKey: .order) else {
            self = data
            return
        }
        guard let ordered = data.ordered(by: order) else {
            throw container.rejection(forKey: .order, "not the types of the structures that the fields make")
        }
        self = ordered
    }

    /// The structures in the order of these types; those of the same type keep theirs. Nil where other types are there.
    private func ordered(by types: [UInt8]) -> BluetoothData? {
        guard types.count == structures.count else { return nil }
        var waiting = Dictionary(grouping: structures, by: \.type).mapValues { $0[...] }
        let ordered = types.compactMap { waiting[$0]?.popFirst() }
        return ordered.count == types.count ? try? BluetoothData(structures: ordered) : nil
    }
}

extension BluetoothData: JSONDescribed {
    package static var jsonSummary: String { "What a Bluetooth device reports about itself." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .name:
                .optional(.text, "The complete name of the device; at most 254 bytes.")
            case .shortenedName:
                .optional(.text, "The name of the device, cut short; at most 254 bytes.")
            case .classOfDevice:
                .optional(.bytes(3...3), "What kind of device it is, the most significant byte first.")
            case .serviceClassUUIDs:
                .optional(
                    .list(.pattern(BluetoothUUID.pattern)),
                    "All service classes, of 16, 32 or 128 bits, such as `110B`.")
            case .incompleteServiceClassUUIDs:
                .optional(
                    .list(.pattern(BluetoothUUID.pattern)), "Some service classes, where the list is not complete.")
            case .simplePairingHashC192:
                .optional(.bytes(16...16), "The hash C-192 of simple pairing, the least significant byte first.")
            case .simplePairingRandomizerR192:
                .optional(.bytes(16...16), "The randomizer R-192 of simple pairing, the least significant byte first.")
            case .simplePairingHashC256:
                .optional(.bytes(16...16), "The hash C-256 of simple pairing, the least significant byte first.")
            case .simplePairingRandomizerR256:
                .optional(.bytes(16...16), "The randomizer R-256 of simple pairing, the least significant byte first.")
            case .leAddress:
                .optional(.object(BluetoothLEAddress.self), "The address for Low Energy.")
            case .leRole:
                .optional(.named(BluetoothLERole.self), "The roles that the device takes for Low Energy.")
            case .securityManagerTK:
                .optional(.bytes(16...16), "The temporary key of legacy pairing, the least significant byte first.")
            case .leSecureConnectionsConfirmation:
                .optional(
                    .bytes(16...16),
                    "The confirmation value of LE Secure Connections, the least significant byte first.")
            case .leSecureConnectionsRandom:
                .optional(
                    .bytes(16...16), "The random value of LE Secure Connections, the least significant byte first.")
            case .appearance:
                .optional(.integer(0...0xFFFF), "How the device looks from outside.")
            case .flags:
                .optional(
                    .list(.words(BluetoothFlags.names, numbers: 0...7)),
                    "What the device is capable of: names, and numbers of bits.")
            case .txPowerLevel:
                .optional(.integer(-128...127), "The power that it sends with, in dBm.")
            case .other:
                .optional(.list(.object(BluetoothDataStructure.self)), "The structures without a field.")
            case .order:
                .optional(
                    .bytes,
                    "The types of all structures, a byte each; only if they are not in the order in which fields are written."
                )
            }
        }
    }
}

extension BluetoothData {
    /// Reads fields, and makes structures of them.
    private struct FieldReader {
        let container: KeyedDecodingContainer<CodingKeys>
        var builder = BluetoothDataBuilder()

        mutating func readGeneral() throws {
            typealias Fields = BluetoothDataFields
            try add(Fields.name, .name) { try $0.decodeIfPresent(String.self, forKey: $1) }
            try add(Fields.shortenedName, .shortenedName) { try $0.decodeIfPresent(String.self, forKey: $1) }
            try add(Fields.classOfDevice, .classOfDevice) { try Self.classOfDevice($0, $1) }
            try add(Fields.leAddress, .leAddress) { try $0.decodeIfPresent(BluetoothLEAddress.self, forKey: $1) }
            try add(Fields.leRole, .leRole) { try $0.decodeNamedIfPresent(BluetoothLERole.self, forKey: $1) }
            try add(Fields.appearance, .appearance) { try $0.decodeIntegerIfPresent(UInt16.self, forKey: $1) }
            try add(Fields.flags, .flags) { try $0.decodeIfPresent(BluetoothFlags.self, forKey: $1) }
            try add(Fields.txPowerLevel, .txPowerLevel) { try $0.decodeIntegerIfPresent(Int8.self, forKey: $1) }
            let complete = try uuids(.serviceClassUUIDs)
            builder = try accept(.serviceClassUUIDs) { builder throws(NDEFPayloadError) in
                try builder.add(serviceClassUUIDs: complete)
            }
            let incomplete = try uuids(.incompleteServiceClassUUIDs)
            builder = try accept(.incompleteServiceClassUUIDs) { builder throws(NDEFPayloadError) in
                try builder.add(incompleteServiceClassUUIDs: incomplete)
            }
        }

        mutating func readPairing() throws {
            typealias Fields = BluetoothDataFields
            let fields = [
                (Fields.simplePairingHashC192, CodingKeys.simplePairingHashC192),
                (Fields.simplePairingRandomizerR192, .simplePairingRandomizerR192),
                (Fields.simplePairingHashC256, .simplePairingHashC256),
                (Fields.simplePairingRandomizerR256, .simplePairingRandomizerR256),
                (Fields.securityManagerTK, .securityManagerTK),
                (Fields.leSecureConnectionsConfirmation, .leSecureConnectionsConfirmation),
                (Fields.leSecureConnectionsRandom, .leSecureConnectionsRandom),
            ]
            for (field, key) in fields { try add(field, key) { try $0.decodeHexadecimalIfPresent(forKey: $1) } }
        }

        private mutating func add<Value>(
            _ field: BluetoothDataField<Value>, _ key: CodingKeys,
            _ read: (KeyedDecodingContainer<CodingKeys>, CodingKeys) throws -> Value?
        ) throws {
            let value = try read(container, key)
            builder = try accept(key) { builder throws(NDEFPayloadError) in try builder.add(field, value) }
        }

        /// The builder after a change; where that is refused, an error that names the field.
        private func accept(
            _ key: CodingKeys, _ change: (inout BluetoothDataBuilder) throws(NDEFPayloadError) -> Void
        ) throws -> BluetoothDataBuilder {
            try container.accepting(key) { () throws(NDEFPayloadError) in
                var changed = builder
                try change(&changed)
                return changed
            }
        }

        private func uuids(_ key: CodingKeys) throws -> [BluetoothUUID] {
            try container.decodeIfPresent([BluetoothUUID].self, forKey: key) ?? []
        }

        private static func classOfDevice(
            _ container: KeyedDecodingContainer<CodingKeys>, _ key: CodingKeys
        ) throws -> UInt32? {
            guard let bytes = try container.decodeHexadecimalIfPresent(forKey: key) else { return nil }
            guard bytes.count == 3 else { throw container.rejection(forKey: key, "not six hexadecimal digits") }
            return bytes.reduce(0) { $0 << 8 | UInt32($1) }
        }
    }
}

extension NDEFWarning.Code {
    /// Zeros follow the last structure of Bluetooth data; they are not kept.
    public static let bluetoothDataPadding = Self(
        "EIR_PADDING", "zeros follow the last structure of the Bluetooth data")
    /// A length of 0 ends Bluetooth data, but bytes other than zero follow; they are not kept.
    public static let bluetoothDataAfterEnd = Self(
        "EIR_DATA_AFTER_END", "bytes other than zero follow the length of 0 that ends the Bluetooth data")
    /// A structure of Bluetooth data does not have the format of its type; it is kept unchanged.
    public static let bluetoothDataMalformed = Self(
        "EIR_MALFORMED", "a structure of the Bluetooth data does not have the format of its type")
    /// Bluetooth data has a second structure of a type; the first counts, and both are kept.
    public static let bluetoothDataRepeated = Self(
        "EIR_REPEATED", "the Bluetooth data has two structures of one type; the first counts")
}
