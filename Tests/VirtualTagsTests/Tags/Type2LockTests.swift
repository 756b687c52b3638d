import Testing
import TestSupport

@testable import VirtualTags

/// The static lock bytes, which are the same on every product.
@Suite struct Type2StaticLockTests {
    /// The lock bytes that lock exactly one page.
    static let bits: [(UInt8, String)] = [
        (3, "08 00"), (4, "10 00"), (5, "20 00"), (6, "40 00"), (7, "80 00"),
        (8, "00 01"), (9, "00 02"), (10, "00 04"), (11, "00 08"), (12, "00 10"), (13, "00 20"), (14, "00 40"),
        (15, "00 80"),
    ]

    @Test(arguments: bits) func `a bit locks one page`(page: UInt8, bytes: String) throws {
        for product in VirtualType2Product.all {
            var tag = try VirtualType2Tag.selected(product)
            #expect(tag.send("A2 02 00 00" + bytes) == "ACK")
            for other in UInt8(3)...15 {
                let answer = tag.sendSelected("A2" + hex([other, 0, 0, 0, 0]))
                #expect(answer == (other == page ? "NAK 0" : "ACK"), "\(product.name) page \(other)")
            }
        }
    }

    struct Freeze: Sendable {
        let first: String
        let second: String
        let expected: String
    }

    static let freezes: [Freeze] = [
        Freeze(first: "01 00", second: "08 00", expected: "0100"),
        Freeze(first: "02 00", second: "F0 03", expected: "0200"),
        Freeze(first: "02 00", second: "F8 FF", expected: "0AFC"),
        Freeze(first: "04 00", second: "00 FC", expected: "0400"),
        Freeze(first: "04 00", second: "F8 FF", expected: "FC03"),
        Freeze(first: "07 00", second: "FF FF", expected: "0700"),
        Freeze(first: "12 00", second: "E0 00", expected: "1200"),
        Freeze(first: "0F 00", second: "00 00", expected: "0F00"),
        Freeze(first: "FF FF", second: "00 00", expected: "FFFF"),
        Freeze(first: "00 00", second: "F7 FF", expected: "F7FF"),
    ]

    @Test(arguments: freezes) func `block-locking bits freeze the lock bits of their pages`(row: Freeze) throws {
        var tag = try VirtualType2Tag.selected(.ntag216)
        #expect(tag.send("A2 02 00 00" + row.first) == "ACK")
        #expect(tag.send("A2 02 00 00" + row.second) == "ACK")
        #expect(tag.send("3A 02 02") == "A248" + row.expected)
    }

    @Test func `a frozen page that is not locked stays writable`() throws {
        var tag = try VirtualType2Tag.selected(.mf0ul11)
        #expect(tag.send("A2 02 00 00 07 00") == "ACK")
        #expect(tag.send("A2 04 01 02 03 04") == "ACK")
        #expect(tag.send("A2 0F 01 02 03 04") == "ACK")
    }

    @Test func `locks outlive the field`() throws {
        var tag = try VirtualType2Tag.selected(.ntag213)
        #expect(tag.send("A2 02 00 00 F8 FF") == "ACK")
        tag.repower()
        #expect(tag.send("A2 04 00 00 00 00") == "NAK 0")
        #expect(tag.sendSelected("A2 10 00 00 00 00") == "ACK")
    }
}

/// The dynamic lock bytes, product by product.
@Suite struct Type2DynamicLockTests {
    struct Layout: Sendable, CustomTestStringConvertible {
        let product: VirtualType2Product
        let page: UInt8
        /// The pages each bit of bytes 0 and 1 locks, in order.
        let groups: [ClosedRange<UInt8>]
        /// The bits that exist.
        let mask: String
        var testDescription: String { product.name }
    }

    static func groups(from first: UInt8, through last: UInt8, by step: UInt8) -> [ClosedRange<UInt8>] {
        stride(from: first, through: last, by: Int(step)).map { $0...min($0 + step - 1, last) }
    }

    static let layouts: [Layout] = [
        Layout(product: .ntag213, page: 0x28, groups: groups(from: 16, through: 39, by: 2), mask: "FF0F3F"),
        Layout(product: .ntag215, page: 0x82, groups: groups(from: 16, through: 129, by: 16), mask: "FF000F"),
        Layout(product: .ntag216, page: 0xE2, groups: groups(from: 16, through: 225, by: 16), mask: "FF3F7F"),
        Layout(product: .mf0ul21, page: 0x24, groups: groups(from: 16, through: 35, by: 2), mask: "FF031F"),
    ]

    static func bytes(bit: Int) -> String {
        hex([0, 8, 16].map { UInt8(truncatingIfNeeded: (1 << bit) >> $0) } + [0])
    }

    @Test(arguments: layouts) func `there are as many groups as bits`(layout: Layout) {
        let bits = hex(layout.mask)
        let lockBits = bits[0].nonzeroBitCount + bits[1].nonzeroBitCount
        #expect(layout.groups.count == lockBits)
        #expect((lockBits + 1) / 2 == bits[2].nonzeroBitCount)
    }

    @Test(arguments: layouts) func `a bit locks its group of pages and no other`(layout: Layout) throws {
        for (bit, group) in layout.groups.enumerated() {
            var tag = try VirtualType2Tag.selected(layout.product)
            #expect(tag.send("A2" + hex([layout.page]) + Self.bytes(bit: bit)) == "ACK")
            for page in 4..<layout.page {
                let answer = tag.sendSelected("A2" + hex([page, 1, 2, 3, 4]))
                #expect(answer == (group.contains(page) ? "NAK 0" : "ACK"), "bit \(bit) page \(page)")
            }
        }
    }

    @Test(arguments: layouts) func `a block-locking bit freezes two lock bits`(layout: Layout) throws {
        for block in 0..<hex(layout.mask)[2].nonzeroBitCount {
            var tag = try VirtualType2Tag.selected(layout.product)
            #expect(tag.send("A2" + hex([layout.page]) + Self.bytes(bit: 16 + block)) == "ACK")
            #expect(tag.send("A2" + hex([layout.page]) + "FFFFFF00") == "ACK")
            let all = hex(layout.mask).enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
            let left = all & ~(0b11 << (2 * block))
            let expected = hex([0, 8, 16].map { UInt8(truncatingIfNeeded: left >> $0) }) + "BD"
            #expect(tag.send("3A" + hex([layout.page, layout.page])) == expected, "block \(block)")
        }
    }

    @Test(arguments: layouts) func `bits are only set, reserved bits stay clear, and byte 3 reads BD`(
        layout: Layout
    ) throws {
        var tag = try VirtualType2Tag.selected(layout.product)
        let read = "3A" + hex([layout.page, layout.page])
        #expect(tag.send(read) == "000000BD")
        #expect(tag.send("A2" + hex([layout.page]) + "01000000") == "ACK")
        #expect(tag.send("A2" + hex([layout.page]) + "02000000") == "ACK")
        #expect(tag.send(read) == "030000BD")
        #expect(tag.send("A2" + hex([layout.page]) + "FFFFFFFF") == "ACK")
        #expect(tag.send(read) == layout.mask + "BD")
        tag.repower()
        #expect(tag.send("A2" + hex([layout.page]) + "00000000") == "ACK")
        #expect(tag.send(read) == layout.mask + "BD")
    }

    @Test(arguments: layouts) func `fully locked, the configuration stays writable`(layout: Layout) throws {
        var tag = try VirtualType2Tag.selected(layout.product)
        #expect(tag.send("A2" + hex([layout.page]) + layout.mask + "00") == "ACK")
        #expect(tag.send("A2" + hex([layout.page + 1]) + "000000FF") == "ACK")
        #expect(tag.send("A2" + hex([layout.page + 3]) + "01020304") == "ACK")
        #expect(tag.send("A2 04 01 02 03 04") == "ACK")
        #expect(tag.send("A2 10 01 02 03 04") == "NAK 0")
    }

    @Test func `MF0UL11 has no dynamic lock bytes`() throws {
        var tag = try VirtualType2Tag.selected(.mf0ul11)
        #expect(tag.send("A2 10 04 00 00 FF") == "ACK")
        #expect(tag.send("3A 10 10") == "040000FF")
    }
}
