package import VirtualTags

/// Every virtual tag on every reader model that sees it: the ground that the table test and the table of exchanges share.
package struct TagTable: Sendable {
    /// One tag on one reader.
    package struct Place: Sendable, CustomStringConvertible {
        package let model: VirtualTagModel
        package let reader: VirtualReaderModel

        package var description: String { "\(model.name) on \(reader.name)" }

        /// Whether writing needs the option flag, which readers that let no frames pass do not set.
        package var isReadOnly: Bool {
            model.name == "tag-it" && ["generic", "omnikey-5321", "omnikey-5422", "springcard"].contains(reader.name)
        }

        /// Whether nfcd reads the tag behind this reader: the way of SpringCard readers for FeliCa tells too little.
        fileprivate var isServed: Bool {
            !(reader.name == "springcard" && ["felica-lite", "felica-lite-s", "type3"].contains(model.name))
        }

        /// The tag with a message on it (nil: as it leaves the factory), in the field of a reader that is on.
        package func card(message: [UInt8]?) throws -> CountingCard? {
            let tag = try model.makeTag(ndefMessage: message)
            return reader.card(tag).map { CountingCard($0, readerName: reader.readerName) }
        }
    }

    /// All places, in the order of the catalogues.
    package static let places: [Place] = VirtualTagModel.all.flatMap { model in
        VirtualReaderModel.all.compactMap { reader in
            let place = Place(model: model, reader: reader)
            return place.isServed && (try? place.card(message: nil)) != nil ? place : nil
        }
    }

    /// A message of exactly so many bytes, at least 3: one record of unknown type.
    package static func message(_ count: Int) -> [UInt8] {
        let header: [UInt8] =
            count <= 3 + 255
            ? [0xD5, 0x00, UInt8(truncatingIfNeeded: count - 3)]
            : [0xC5, 0x00] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: (count - 6) >> $0) }
        return header + (header.count..<max(count, header.count)).map { UInt8(truncatingIfNeeded: $0 % 251) }
    }
}
