/// The binary dump of an ISO/IEC 15693 tag by the proxmark3 client: facts, locks, memory, then state of its simulation. Its size
/// alone identifies it.
enum ISO15693Binary {
    /// A revision of the file: how many blocks have a byte for their lock, and how wide the number of blocks is.
    private struct Revision {
        let locks: Int
        let countSize: Int

        /// The bytes in front of the locks.
        var head: Int { 14 + countSize }
        /// The whole file; behind the memory are 12 bytes of the simulation.
        var size: Int { head + locks + ISO15693Binary.memorySize + 12 }
    }

    private static let revisions = [
        Revision(locks: 160, countSize: 1), Revision(locks: 256, countSize: 2), Revision(locks: 64, countSize: 1),
    ]
    private static let memorySize = 2048

    static func image(_ bytes: [UInt8]) -> TagImage? {
        guard let revision = revisions.first(where: { $0.size == bytes.count }), bytes[0] == 0xE0 || bytes[7] == 0xE0
        else { return nil }
        let size = Int(bytes[12])
        let count = (0..<revision.countSize).reduce(0) { $0 | Int(bytes[13 + $1]) << (8 * $1) }
        guard (1...32).contains(size), (1...revision.locks).contains(count), size * count <= memorySize else {
            return nil
        }
        var image = TagImage(kind: .iso15693, identifier: Array(bytes.prefix(8)), unitSize: size, unitCount: count)
        image.orderISO15693Identifier()
        (image.facts.dsfid, image.facts.isDSFIDLocked) = (bytes[8], bytes[9] != 0)
        (image.facts.afi, image.facts.isAFILocked) = (bytes[10], bytes[11] != 0)
        image.facts.icReference = bytes[revision.head - 1]
        let locks = bytes.dropFirst(revision.head).prefix(count)
        image.facts.lockedUnits = Set(locks.enumerated().filter { $0.element != 0 }.map(\.offset))
        let memory = Array(bytes.dropFirst(revision.head + revision.locks))
        for block in 0..<count { image.setUnit(block, Array(memory[block * size..<(block + 1) * size])) }
        return image
    }

    /// The oldest revision that new clients read and that has room.
    static func file(_ image: TagImage) throws(DumpError) -> [UInt8] {
        let memory = try image.memory(nil)
        guard image.identifier.count == 8 else { throw DumpError(.missing, field: "UID") }
        guard let revision = revisions.prefix(2).first(where: { image.unitCount <= $0.locks }),
            memory.count <= memorySize
        else {
            throw DumpError(
                .unsupported("a tag of \(image.unitCount) blocks of \(image.unitSize) bytes in such a file"))
        }
        let facts = image.facts
        let isReversed = image.identifier.first == 0xE0
        var file: [UInt8] = isReversed ? image.identifier.reversed() : image.identifier
        file += [facts.dsfid ?? 0, facts.isDSFIDLocked ? 1 : 0, facts.afi ?? 0, facts.isAFILocked ? 1 : 0]
        file.append(UInt8(truncatingIfNeeded: image.unitSize))
        file += (0..<revision.countSize).map { UInt8(truncatingIfNeeded: image.unitCount >> (8 * $0)) }
        file.append(facts.icReference ?? 0)
        file += (0..<revision.locks).map { facts.lockedUnits.contains($0) ? 1 : 0 }
        file += memory + [UInt8](repeating: 0, count: revision.size - file.count - memory.count)
        return file
    }
}
