import Testing

@testable import NDEF

@Suite("OpenPrintTag, prepared tags")
struct OpenPrintTagLayoutTests {
    @Test(
        arguments: [
            // What the specification's tool makes: size, aux, URI, the start of the image, the payload's length and place, and aux in the payload.
            (304, 32, nil, "E1402601 03FF0127 C21C00000105", 261, 42, 226),
            (
                304, 32, "https://example.com/s/42",
                "E1402601 03FF0127 91011155 04 6578616D706C652E636F6D2F732F3432 521CF3", 243, 60, 208
            ),
            (112, 16, nil, "E1400E01 0369 D21C4A", 74, 37, 55),
            (312, 35, nil, "E1402701 03FF012F C21C0000010D", 269, 42, 234),
        ] as [(Int, Int, String?, String, Int, Int, Int)])
    func `a tag is prepared as the specification's tool does it`(
        _ size: Int, _ aux: Int, _ uri: String?, _ start: String, _ length: Int, _ offset: Int, _ auxOffset: Int
    ) throws {
        let layout = try OpenPrintTagLayout(size: size, auxSize: aux, uri: uri)
        let image = try #require(layout.image)
        #expect(image.count == size)
        #expect(image.starts(with: try bytes(start)))
        #expect(image.last == 0xFE)
        let (payload, place) = try OpenPrintTagImage(image).payload()
        #expect(place == layout.payloadOffset)
        #expect(place == offset)
        #expect(payload.count == length)
        let record = try OpenPrintTagRecord(payload: payload)
        #expect(record.aux?.offset == auxOffset)
        #expect(record.faults.map(\.kind) == [.missing])
        #expect(record.main?.usedSize == 1 && record.aux?.usedSize == 1)
        #expect((place + auxOffset).isMultiple(of: 4))
    }

    @Test(
        .enabled(if: !SpoolVectors.rows.isEmpty, SpoolVectors.missing),
        arguments: SpoolVectors.rows("openprinttag.image").filter { $0.tool != nil })
    func `a prepared tag has the bytes of the tool's, outside the data`(_ row: SpoolRow) throws {
        let image = try row.givenBytes("image")
        let tool = try #require(row.tool)
        let layout = try OpenPrintTagLayout(size: tool.size, auxSize: tool.aux, uri: tool.uri)
        let (payload, offset) = try row.imagePayload()
        let record = try OpenPrintTagRecord(payload: payload)
        var emptied = image
        for region in [record.main, record.aux].compactMap({ $0 }) {
            let start = offset + region.offset
            emptied.replaceSubrange(
                start..<start + region.bytes.count, with: [0xA0] + [UInt8](repeating: 0, count: region.bytes.count - 1))
        }
        #expect(layout.image?.hexadecimal == emptied.hexadecimal)
    }

    @Test(arguments: Array(9...900) + [4096, 32_767, 65_535])
    func `every capacity is filled but for a few bytes, or refused`(_ capacity: Int) throws {
        for uri in [nil, "https://a.b/c"] {
            guard let layout = try? OpenPrintTagLayout(capacity: capacity, uri: uri) else {
                #expect(capacity < 136, "\(uri ?? "")")
                continue
            }
            let message = try NDEFMessage(decoding: layout.message.encoded())
            // Main has 512 bytes at most.
            let isFull = (layout.record.main?.bytes.count ?? 0) > 512 - 12
            #expect(message.encodedLength < capacity)
            #expect(message.encodedLength >= capacity - 8 || isFull, "\(capacity)")
            guard case .openPrintTag(let record)? = message.records.last?.decoded else {
                Issue.record("no record")
                continue
            }
            #expect(record == layout.record && layout.image == nil)
            let aux = try #require(record.aux)
            #expect((layout.payloadOffset + aux.offset).isMultiple(of: 4) && aux.bytes.count >= 32)
            let filled = try record.changing(.main, ["material_class": .set(.item(0))])
            #expect(layout.message(with: filled).encodedLength == message.encodedLength)
        }
    }

    @Test(arguments: Array(stride(from: 8, through: 2040, by: 8)))
    func `every size is filled, or refused`(_ size: Int) throws {
        for (aux, block, meta, uri) in [
            (nil, 4, nil, nil), (32, 4, nil, nil), (16, 8, 8, nil), (32, 4, nil, "https://a.b/c"),
        ] as [(Int?, Int, Int?, String?)] {
            guard
                let layout = try? OpenPrintTagLayout(
                    size: size, auxSize: aux, blockSize: block, metaSize: meta, uri: uri)
            else {
                // Too small, or the length of the record's header would change.
                #expect(size < 136 || (280...312).contains(size), "\(size) \(uri ?? "")")
                continue
            }
            let made = try #require(layout.image)
            #expect(made.count == size)
            let (payload, offset) = try OpenPrintTagImage(made).payload()
            #expect(offset == layout.payloadOffset)
            let record = try OpenPrintTagRecord(payload: payload)
            #expect(record.faults.map(\.kind) == [.missing])
            #expect((record.aux == nil) == (aux == nil))
            #expect(record.aux.map { (offset + $0.offset).isMultiple(of: block) } ?? true)
            #expect(record.aux?.bytes.count ?? 99 >= aux ?? 0)
            #expect(record.meta.bytes.count == meta ?? record.meta.usedSize)
        }
    }

    @Test(
        arguments: [
            (0, nil, 4, nil, nil), (-8, nil, 4, nil, nil), (300, 32, 4, nil, nil), (2048, 32, 4, nil, nil),
            (40, nil, 4, nil, nil),
            (304, 4, 4, nil, nil), (304, -1, 4, nil, nil), (304, Int.max, 4, nil, nil), (304, Int.min, 4, nil, nil),
            (304, 32, 0, nil, nil), (304, 32, 4, 2, nil), (304, 32, 4, Int.max, nil), (304, 260, 4, nil, nil),
            (304, 32, 4, nil, "https://example.com/\(String(repeating: "a", count: 260))"),
        ] as [(Int, Int?, Int, Int?, String?)])
    func `what does not fit is refused`(_ size: Int, _ aux: Int?, _ block: Int, _ meta: Int?, _ uri: String?) throws {
        let error = #expect(throws: NDEFPayloadError.self) {
            _ = try OpenPrintTagLayout(size: size, auxSize: aux, blockSize: block, metaSize: meta, uri: uri)
        }
        #expect(error?.code == .openPrintTagLayout)
    }

    @Test func `a URI that cannot be written is refused`() throws {
        let error = #expect(throws: NDEFPayloadError.self) {
            _ = try OpenPrintTagLayout(size: 304, uri: "https://a.b/\n")
        }
        #expect(error?.code == .uriControlCharacters)
    }
}

extension SpoolRow {
    /// The arguments of the tool that made the image; nil where another program made it.
    fileprivate var tool: (size: Int, aux: Int?, uri: String?)? {
        guard let source, source.contains("nfc_initialize.py "), let size = argument("--size=").flatMap({ Int($0) })
        else { return nil }
        return (size, argument("--aux-region=").flatMap { Int($0) }, argument("--ndef-uri="))
    }

    private func argument(_ name: String) -> String? {
        source?.split(separator: " ").first { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) }
    }
}
