import Testing
import WebNFC

@Suite struct `Frames of native messaging` {
    @Test func `a frame has its length in front, in the byte order of the machine`() {
        #expect(
            NativeFrame.encode(Array("{}".utf8)) == (1.bigEndian == 1 ? [0, 0, 0, 2] : [2, 0, 0, 0]) + Array("{}".utf8))
    }

    @Test(arguments: [1, 2, 3, 5, 7, 64])
    func `frames are found wherever the pipe divides them`(size: Int) throws {
        let payloads = ["{}", "{\"verb\":\"front\"}", "x"].map { Array($0.utf8) }
        let stream = payloads.flatMap(NativeFrame.encode)
        var frames = NativeFrame()
        var found: [[UInt8]] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            found += try frames.add(stream[start..<min(start + size, stream.count)])
        }
        #expect(found == payloads)
        #expect(!frames.isInside)
    }

    @Test(arguments: [0, NativeFrame.longestFromBrowser + 1, 0x7FFF_FFFF, 0xFFFF_FFFF])
    func `a frame of a wrong length is refused before it is read`(length: Int) {
        var frames = NativeFrame()
        let header = withUnsafeBytes(of: UInt32(truncatingIfNeeded: length)) { Array($0) }
        #expect(throws: NativeFrame.WrongLength.self) { try frames.add(header) }
    }

    @Test func `a frame of the greatest length is taken`() throws {
        var frames = NativeFrame()
        let payload = [UInt8](repeating: 0x20, count: NativeFrame.longestFromBrowser)
        #expect(try frames.add(NativeFrame.encode(payload)) == [payload])
    }

    @Test func `a frame that ends early is known to be inside`() throws {
        var frames = NativeFrame()
        #expect(try frames.add(NativeFrame.encode([1, 2, 3]).dropLast()) == [])
        #expect(frames.isInside)
    }
}
