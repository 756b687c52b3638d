import NFCTags
import Testing
import TestSupport

@Suite struct `Writing a Type 3 Tag` {
    typealias Wire = FeliCaWire
    static let plain = "0120220427674EFF"
    static let short = hex("D101055500616263")
    static let shortBlock = "D101055500616263 0000000000000000"

    static func start(_ attribute: String) -> [(String, OrderedScript.Answer)] {
        [(Wire.pollNDEF, Wire.polled(plain)), (Wire.read(0), Wire.data(attribute))]
    }

    static func write(
        _ message: [UInt8], verifying: Bool = false, _ script: [(String, OrderedScript.Answer)]
    ) async -> TagError? {
        let (tag, channel) = `Reading a Type 3 Tag`.tag(script)
        let error = await thrown { () throws(TagError) in try await tag.writeNDEF(message, verifying: verifying) }
        #expect(channel.isDone)
        return error
    }

    @Test func `WriteFlag, data, then the new length`() async {
        let script =
            Self.start(Wire.attribute(length: 20)) + [
                (Wire.read(1), Wire.data(Wire.block(0xAA))),
                (Wire.write([0], Wire.attribute(writing: 0x0F, length: 20)), Wire.written),
                (Wire.write([1], Self.shortBlock), Wire.written),
                (Wire.write([0], Wire.attribute(length: 8)), Wire.written),
            ]
        #expect(await Self.write(Self.short, script) == nil)
    }

    @Test func `an empty tag needs no WriteFlag`() async {
        let script =
            Self.start(Wire.attribute()) + [
                (Wire.read(1), Wire.data(Wire.block(0))),
                (Wire.write([1], Self.shortBlock), Wire.written),
                (Wire.write([0], Wire.attribute(length: 8)), Wire.written),
            ]
        #expect(await Self.write(Self.short, script) == nil)
    }

    @Test func `an interrupted write can be repeated`() async {
        let script =
            Self.start(Wire.attribute(writing: 0x0F, length: 20)) + [
                (Wire.read(1), Wire.data(Wire.block(0))),
                (Wire.write([1], Self.shortBlock), Wire.written),
                (Wire.write([0], Wire.attribute(length: 8)), Wire.written),
            ]
        #expect(await Self.write(Self.short, script) == nil)
    }

    @Test func `erasing takes one write`() async {
        let script =
            Self.start(Wire.attribute(length: 20)) + [(Wire.write([0], Wire.attribute()), Wire.written)]
        #expect(await Self.write([], script) == nil)
    }

    @Test func `unchanged blocks are not written`() async {
        let same = Self.start(Wire.attribute(length: 8)) + [(Wire.read(1), Wire.data(Self.shortBlock))]
        #expect(await Self.write(Self.short, same) == nil)
        #expect(await Self.write(Self.short, verifying: true, same) == nil)
        let longer =
            Self.start(Wire.attribute(length: 9)) + [
                (Wire.read(1), Wire.data(Self.shortBlock)), (Wire.write([0], Wire.attribute(length: 8)), Wire.written),
            ]
        #expect(await Self.write(Self.short, longer) == nil)
    }

    static let only: [(answer: OrderedScript.Answer, read: String?, code: NFCErrorCode?, leaves: WrittenState?)] = [
        (Wire.written, shortBlock, nil, nil), (Wire.written, Wire.block(3), .tagUpdateFailure, .oldOrNew),
        (.failure(.tagLost), nil, .tagConnectionLost, .oldOrNew),
    ]

    @Test(arguments: only) func `one block that changes in a message of the same length is written alone`(
        answer: OrderedScript.Answer, read: String?, code: NFCErrorCode?, leaves: WrittenState?
    ) async {
        var script =
            Self.start(Wire.attribute(length: 8)) + [
                (Wire.read(1), Wire.data(Wire.block(0))), (Wire.write([1], Self.shortBlock), answer),
            ]
        if let read { script.append((Wire.read(1), Wire.data(read))) }
        let error = await Self.write(Self.short, verifying: true, script)
        #expect(error?.code == code)
        #expect(error?.leaves == leaves)
    }

    @Test func `a command writes Nbw blocks, adjacent or not`() async {
        let message = [UInt8](repeating: 0xAA, count: 16 * 4)
        let aa = Wire.block(0xAA)
        let script =
            Self.start(Wire.attribute(nbr: 12, nbw: 2)) + [
                (Wire.read(1, 2, 3, 4), Wire.data(Wire.block(0), aa, Wire.block(1), Wire.block(2))),
                (Wire.write([1, 3], aa + aa), Wire.written),
                (Wire.write([4], aa), Wire.written),
                (Wire.write([0], Wire.attribute(nbr: 12, nbw: 2, length: 64)), Wire.written),
            ]
        #expect(await Self.write(message, script) == nil)
    }

    @Test func `verifying reads the data before the commit, and the attribute block last`() async {
        let start =
            Self.start(Wire.attribute()) + [
                (Wire.read(1), Wire.data(Wire.block(0))), (Wire.write([1], Self.shortBlock), Wire.written),
            ]
        let rest = [
            (Wire.read(1), Wire.data(Self.shortBlock)), (Wire.write([0], Wire.attribute(length: 8)), Wire.written),
        ]
        let good = start + rest + [(Wire.read(0), Wire.data(Wire.attribute(length: 8)))]
        #expect(await Self.write(Self.short, verifying: true, good) == nil)
        let badData = start + [(Wire.read(1), Wire.data(Wire.block(0)))]
        let dataError = await Self.write(Self.short, verifying: true, badData)
        #expect(dataError?.code == .tagUpdateFailure)
        #expect(dataError?.leaves == .empty)
        let badAttribute = start + rest + [(Wire.read(0), Wire.data(Wire.attribute()))]
        let attributeError = await Self.write(Self.short, verifying: true, badAttribute)
        #expect(attributeError?.code == .tagUpdateFailure)
        #expect(attributeError?.leaves == .emptyOrNew)
    }

    static let refusals: [(String, Int, NFCErrorCode)] = [
        (Wire.attribute(rw: 0), 8, .tagNotWritable), (Wire.attribute(rw: 0), 300, .tagNotWritable),
        (Wire.attribute(nmaxb: 1), 17, .tagSizeTooSmall), (Wire.attribute(nmaxb: 0), 1, .tagSizeTooSmall),
        (Wire.block(0), 8, .unsupportedFeature),
    ]

    @Test(arguments: refusals) func `what cannot be written is refused before the first byte`(
        attribute: String, count: Int, code: NFCErrorCode
    ) async {
        let error = await Self.write(Images.message(count: count), Self.start(attribute))
        #expect(error?.code == code)
        #expect(error?.leaves == nil)
    }

    @Test func `a Lite with a locked block accepts only messages in front of it`() async {
        // RW bits of blocks 0 to 2.
        let script: [(String, OrderedScript.Answer)] = [
            (Wire.pollNDEF, Wire.polled()),
            (Wire.read(0, 0x88), Wire.data(Wire.attribute(), "07C0FF01FF0000000000000000000000")),
        ]
        #expect(await Self.write(Images.message(count: 33), script)?.code == .tagNotWritable)
        let enough =
            script + [
                (Wire.read(1), Wire.data(Self.shortBlock)), (Wire.write([0], Wire.attribute(length: 8)), Wire.written),
            ]
        #expect(await Self.write(Self.short, enough) == nil)
    }

    static let broken: [(Int, OrderedScript.Answer, NFCErrorCode, WrittenState)] = [
        (0, Wire.refused("08", "01A8"), .tagUpdateFailure, .oldOrEmpty),
        (0, .failure(.tagLost), .tagConnectionLost, .oldOrEmpty),
        (1, Wire.refused("08", "FF70"), .tagUpdateFailure, .empty),
        (1, .failure(.tagLost), .tagConnectionLost, .empty),
        (1, .bytes("9000"), .tagUpdateFailure, .empty),
        (1, Wire.answer("0D09 \(Wire.identifier) 000000"), .tagUpdateFailure, .empty),
        (2, Wire.silence, .tagUpdateFailure, .emptyOrNew),
        (2, .failure(.tagLost), .tagConnectionLost, .emptyOrNew),
    ]

    @Test(arguments: broken) func `the error of an interrupted write reports what is left, and nothing is repeated`(
        step: Int, answer: OrderedScript.Answer, code: NFCErrorCode, leaves: WrittenState
    ) async {
        var steps: [(String, OrderedScript.Answer)] = [
            (Wire.write([0], Wire.attribute(writing: 0x0F, length: 20)), Wire.written),
            (Wire.write([1], Self.shortBlock), Wire.written),
            (Wire.write([0], Wire.attribute(length: 8)), Wire.written),
        ]
        steps = Array(steps.prefix(step + 1))
        steps[step].1 = answer
        let script = Self.start(Wire.attribute(length: 20)) + [(Wire.read(1), Wire.data(Wire.block(0xAA)))] + steps
        let error = await Self.write(Self.short, script)
        #expect(error?.code == code)
        #expect(error?.leaves == leaves)
    }
}

@Suite struct `Formatting and locking a Type 3 Tag` {
    typealias Wire = FeliCaWire
    static let plain = "0120220427674EFF"
    static let fresh = "FFFFFF00FF0000000000000000000000"

    static func format(_ script: [(String, OrderedScript.Answer)]) async -> TagError? {
        let (tag, channel) = `Reading a Type 3 Tag`.tag(script)
        let error = await thrown { () throws(TagError) in try await tag.formatNDEF() }
        #expect(channel.isDone)
        return error
    }

    static func unformatted(_ configuration: String) -> [(String, OrderedScript.Answer)] {
        [
            (Wire.pollNDEF, Wire.silence), (Wire.pollAny, Wire.polled()),
            (Wire.read(0x88), Wire.data(configuration)),
        ]
    }

    /// Reads of the user blocks 0 to `count` − 1, four at a time: blank but for the given ones.
    static func userBlocks(_ count: Int = 14, _ content: [Int: String] = [:]) -> [(String, OrderedScript.Answer)] {
        stride(from: 0, to: count, by: 4).map { first in
            let numbers = first..<min(first + 4, count)
            let list = numbers.map { "80" + hex([UInt8($0)]) }.joined()
            let size = hex([UInt8(numbers.count)])
            let command = Wire.command(Wire.packet("06 \(Wire.identifier) 010B00 \(size) \(list)"))
            let data = numbers.map { content[$0] ?? Wire.block(0) }.joined()
            return (command, Wire.answer(Wire.packet("07 \(Wire.identifier) 0000 \(size) \(data)")))
        }
    }

    @Test func `a fresh Lite-S gets an attribute block, then SYS_OP`() async {
        let script =
            Self.unformatted(Self.fresh) + Self.userBlocks() + [
                (Wire.write([0], Wire.attribute()), Wire.written),
                (Wire.write([0x88], Wire.configuration), Wire.written),
            ]
        #expect(await Self.format(script) == nil)
    }

    @Test func `the RW bits determine the size`() async {
        let script =
            Self.unformatted("0F80FF01FF0000000000000000000000") + Self.userBlocks(4) + [
                (Wire.write([0], Wire.attribute(nmaxb: 3)), Wire.written)
            ]
        #expect(await Self.format(script) == nil)
    }

    @Test(arguments: [
        (0, "48656C6C6F0000000000000000000000", "block 0 on (48656C6C6F"),
        (1, "00000000000000000000000000000001", "block 1 on"),
        (13, "FF000000000000000000000000000000", "block 13 on"),
    ])
    func `other data is not overwritten unasked`(block: Int, content: String, place: String) async {
        let error = await Self.format(
            Self.unformatted(Self.fresh) + Self.userBlocks(14, [block: content]))
        #expect(error?.code == .unsupportedFeature)
        #expect(error?.detail.contains("holds other data from \(place)") == true, "\(error?.detail ?? "")")
    }

    @Test func `a formatted tag is not changed`() async {
        #expect(
            await Self.format([
                (Wire.pollNDEF, Wire.polled(Self.plain)), (Wire.read(0), Wire.data(Wire.attribute(length: 5))),
            ]) == nil)
    }

    @Test func `a tag formatted in this connection can be read without polling again`() async throws {
        let (tag, channel) = `Reading a Type 3 Tag`.tag(
            Self.unformatted(Self.fresh) + Self.userBlocks() + [
                (Wire.write([0], Wire.attribute()), Wire.written),
                (Wire.write([0x88], Wire.configuration), Wire.written),
                (Wire.read(0, 0x88), Wire.data(Wire.attribute(), Wire.configuration)),
            ])
        try await tag.formatNDEF()
        #expect(try await tag.readNDEF().status == .readWrite)
        #expect(channel.isDone)
    }

    static let refused = [
        "FEFFFF00FF0000000000000000000000", "FDFFFF00FF0000000000000000000000", "FFFF0000FF0000000000000000000000",
        "FFFFFF00FF0000000100000000000000",
    ]

    @Test(arguments: refused) func `a locked Lite is refused and nothing written`(configuration: String) async {
        #expect(await Self.format(Self.unformatted(configuration))?.code == .unsupportedFeature)
    }

    @Test func `another card cannot be formatted`() async {
        let script = [(Wire.pollNDEF, Wire.silence), (Wire.pollAny, Wire.polled(Self.plain))]
        #expect(await Self.format(script)?.code == .unsupportedFeature)
        let blank = [(Wire.pollNDEF, Wire.polled(Self.plain)), (Wire.read(0), Wire.data(Wire.block(0)))]
        #expect(await Self.format(blank)?.code == .unsupportedFeature)
    }

    @Test func `a refused write is 401`() async {
        let script =
            Self.unformatted(Self.fresh) + Self.userBlocks()
            + [(Wire.write([0], Wire.attribute()), Wire.refused("08", "01A8"))]
        #expect(await Self.format(script)?.code == .tagUpdateFailure)
    }

    static let locks: [(String, [(String, OrderedScript.Answer)], NFCErrorCode?)] = [
        (
            Wire.attribute(length: 5),
            [
                (Wire.write([0], Wire.attribute(rw: 0, length: 5)), Wire.written),
                (Wire.read(0), Wire.data(Wire.attribute(rw: 0, length: 5))),
            ], nil
        ),
        (
            Wire.attribute(),
            [
                (Wire.write([0], Wire.attribute(rw: 0)), Wire.written), (Wire.read(0), Wire.data(Wire.attribute())),
            ], .tagUpdateFailure
        ),
        (Wire.attribute(), [(Wire.write([0], Wire.attribute(rw: 0)), Wire.refused("08", "01A8"))], .tagUpdateFailure),
        (Wire.attribute(rw: 0), [], .tagNotWritable),
        (Wire.attribute(writing: 0x0F), [], .unsupportedFeature),
        (Wire.block(0), [], .unsupportedFeature),
    ]

    @Test(arguments: locks) func `locking clears RWFlag and verifies it`(
        attribute: String, steps: [(String, OrderedScript.Answer)], code: NFCErrorCode?
    ) async {
        let (tag, channel) = `Reading a Type 3 Tag`.tag(
            [(Wire.pollNDEF, Wire.polled(Self.plain)), (Wire.read(0), Wire.data(attribute))] + steps)
        #expect(await thrown { () throws(TagError) in try await tag.makeReadOnly() }?.code == code)
        #expect(channel.isDone)
    }
}
