extension BluetoothData: Codable {
    private enum CodingKeys: String, CodingKey {
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
