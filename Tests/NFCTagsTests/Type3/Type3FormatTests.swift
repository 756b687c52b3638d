import NFCTags
import Testing

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

    @Test func `a fresh Lite-S gets an attribute block, then SYS_OP`() async {
        let script =
            Self.unformatted(Self.fresh) + [
                (Wire.write([0], Wire.attribute()), Wire.written),
                (Wire.write([0x88], Wire.configuration), Wire.written),
            ]
        #expect(await Self.format(script) == nil)
    }

    @Test func `the size is counted by the RW bits`() async {
        let script =
            Self.unformatted("0F80FF01FF0000000000000000000000") + [
                (Wire.write([0], Wire.attribute(nmaxb: 3)), Wire.written)
            ]
        #expect(await Self.format(script) == nil)
    }

    @Test func `a formatted tag is left alone`() async {
        #expect(
            await Self.format([
                (Wire.pollNDEF, Wire.polled(Self.plain)), (Wire.read(0), Wire.data(Wire.attribute(length: 5))),
            ]) == nil)
    }

    @Test func `a tag formatted in this connection can be read without polling again`() async throws {
        let (tag, channel) = `Reading a Type 3 Tag`.tag(
            Self.unformatted(Self.fresh) + [
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
            Self.unformatted(Self.fresh) + [(Wire.write([0], Wire.attribute()), Wire.refused("08", "01A8"))]
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

    @Test(arguments: locks) func `locking clears RWFlag and looks at it`(
        attribute: String, steps: [(String, OrderedScript.Answer)], code: NFCErrorCode?
    ) async {
        let (tag, channel) = `Reading a Type 3 Tag`.tag(
            [(Wire.pollNDEF, Wire.polled(Self.plain)), (Wire.read(0), Wire.data(attribute))] + steps)
        #expect(await thrown { () throws(TagError) in try await tag.makeReadOnly() }?.code == code)
        #expect(channel.isDone)
    }
}
