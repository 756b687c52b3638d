import Testing
import TestSupport

@testable import NFCTags

@Suite struct `A Type 2 product` {
    static let versions: [(version: String, product: Type2Product?)] = [
        ("0004030101000B03", .mf0ul11), ("0004030201000B03", .mf0ul11), ("0004030101000E03", .mf0ul21),
        ("0004030201000E03", .mf0ul21), ("0004040101000B03", .ntag210), ("0004040101000E03", .ntag212),
        ("0004040201000F03", .ntag213), ("0004040201001103", .ntag215), ("0004040201001303", .ntag216),
        ("0004040401000F03", .ntag213), ("0004040401001303", .ntag216), ("0004040502001303", .ntagI2C1K),
        ("0004040502011303", .ntagI2C1K), ("0004040502011503", .ntagI2C2K),
        ("0004030104000F03", .ultralightAES), ("0004030204000F03", .ultralightAES),
        // Others of NXP, laid out differently: I2C Plus, Ultralight Nano, NTAG 213 TT, 223 and 224 DNA.
        ("0004040502021303", nil), ("0004030102000B03", nil), ("0004040203000F03", nil),
        ("0004040204000F03", nil), ("0004040205001003", nil),
        // Clones.
        ("0053040201000F03", nil), ("0005340201001103", nil), ("0034210101000E03", nil), ("0004040201001104", nil),
    ]

    @Test(arguments: versions)
    func `is identified by GET_VERSION`(row: (version: String, product: Type2Product?)) throws {
        #expect(try #require(Type2Version(hex(row.version))).product == row.product)
    }

    static let clones: [(version: String, product: Type2Product?)] = [
        ("0053040201000F03", .ntag213), ("0005340201001103", .ntag215), ("0034210101000E03", .ntag212),
        ("0005040201001303", .ntag216), ("0005040201000B03", .ntag210), ("0005040201002203", nil),
    ]

    @Test(arguments: clones)
    func `is guessed for a clone by its storage byte`(row: (version: String, product: Type2Product?)) throws {
        #expect(try #require(Type2Version(hex(row.version))).likeness == row.product)
    }

    @Test(arguments: ["", "00", "0004040201001", "010404020100110300", "0104040201001103"])
    func `is not identified by other answers`(answer: String) {
        #expect(Type2Version(hex(answer)) == nil)
    }

    /// The page of the dynamic lock bytes and what is written there.
    static let locks: [(product: Type2Product, page: Int?, bytes: String)] = [
        (.ultralight, nil, ""), (.mf0ul11, nil, ""), (.ntag210, nil, ""),
        (.mf0ul21, 36, "FF031F00"), (.ntag212, 36, "FF031F00"), (.ultralightC, 40, "FF000000"),
        (.ntag203, 40, "FF000000"), (.ntag213, 40, "FF0F3F00"), (.ntag215, 130, "FF000F00"),
        (.ntag216, 226, "FF3F7F00"),
    ]

    @Test(arguments: locks)
    func `is locked at its own lock pages only`(row: (product: Type2Product, page: Int?, bytes: String)) throws {
        for container in ["E1101200", "E1106D00", "E110FF00", "E1103E08"] {
            let container = try #require(Type2CapabilityContainer(hex(container)))
            let writes = try #require(row.product.lockWrites(page2: hex("A2480000"), container: container))
            #expect(writes.map(\.page) == [3, 2] + (row.page.map { [$0] } ?? []))
            #expect(writes[0].bytes == Array(container.bytes.prefix(3)) + [0x0F])
            #expect(writes[1].bytes == hex("A248FFFF"))
            if row.page != nil { #expect(writes[2].bytes == hex(row.bytes)) }
        }
    }

    /// What a lock position computed from the data area would be: right behind the last byte that the container declares.
    @Test(arguments: [(Type2Product.ntag215, 128), (.ntag216, 222)])
    func `is never locked behind the data area if user pages are there`(product: Type2Product, guess: Int) throws {
        let container = try #require(Type2CapabilityContainer([0xE1, 0x10, product.containerSize, 0x00]))
        #expect(4 + container.dataAreaSize / 4 == guess)
        #expect(guess <= product.lastUserPage)
        let pages = try #require(product.lockWrites(page2: hex("00000000"), container: container)).map(\.page)
        #expect(!pages.contains(guess))
        #expect(pages.allSatisfy { $0 == 2 || $0 == 3 || $0 > product.lastUserPage })
    }

    @Test func `no product locks a page that holds data`() throws {
        let container = try #require(Type2CapabilityContainer(hex("E1101200")))
        for product in Type2Product.all {
            guard let writes = product.lockWrites(page2: hex("00000000"), container: container) else {
                #expect([.ntagI2C1K, .ntagI2C2K, .ultralightAES].contains(product))
                continue
            }
            for write in writes {
                #expect(write.page < 4 || write.page > product.lastUserPage, "\(product.name)")
                #expect(write.page < product.readablePages)
            }
        }
    }

    @Test func `without known locks gives no lock at all`() throws {
        let container = try #require(Type2CapabilityContainer(hex("E1106D00")))
        #expect(Type2Product.ntagI2C1K.lockWrites(page2: hex("00000000"), container: container) == nil)
        #expect(Type2Product.ntag213.lockWrites(page2: hex("0000"), container: container) == nil)
    }

    @Test func `is fully locked by its mask`() throws {
        for product in Type2Product.all {
            guard let locks = product.locks, locks.page != nil else { continue }
            for page in 16...product.lastUserPage {
                #expect(locks.locks(page: page, by: locks.mask), "\(product.name) page \(page)")
                #expect(!locks.locks(page: page, by: [0, 0, 0xFF]))
            }
            #expect(!locks.locks(page: 15, by: [0xFF, 0xFF, 0xFF]))
            #expect(locks.isComplete(locks.mask))
            #expect(locks.canComplete([0, 0, 0]))
        }
    }

    static let frozen: [(product: Type2Product, bytes: String, canComplete: Bool)] = [
        (.ntag213, "000001", false), (.ntag213, "030001", true), (.ntag213, "000080", true),
        (.ntag215, "000008", false), (.ntag215, "C00008", true), (.ntag203, "010000", false),
        (.ntag203, "0F0000", true), (.ntag203, "100000", false), (.ntag203, "F00000", true),
        (.ntag203, "FF0000", true),
    ]

    @Test(arguments: frozen)
    func `cannot be locked if lock bits are frozen`(
        row: (product: Type2Product, bytes: String, canComplete: Bool)
    ) {
        #expect(row.product.locks?.canComplete(hex(row.bytes)) == row.canComplete)
    }

    static let headers: [(page2: String, lockedPages: [Int], canBeLocked: Bool)] = [
        ("A2480000", [], true), ("A248F8FF", Array(3...15), true), ("A2481000", [4], true),
        ("A2480080", [15], true), ("A2480800", [3], true), ("A2480100", [], false), ("A2480200", [], false),
        ("A2480400", [], false), ("A248FFFF", Array(3...15), true),
    ]

    @Test(arguments: headers)
    func `has its first pages locked by page 2`(row: (page2: String, lockedPages: [Int], canBeLocked: Bool)) throws {
        var image = MemoryImage(pageSize: 4, pageCount: 4)
        image.store(hex("04A1B29F C3D4E5F6 \(row.page2) E1101200"), at: 0)
        let header = try #require(Type2Header(image))
        #expect((0..<40).filter(header.locks(page:)) == row.lockedPages)
        #expect(header.canBeLocked == row.canBeLocked)
    }
}
