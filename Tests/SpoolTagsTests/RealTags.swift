import TestSupport

@testable import SpoolTags

/// The content of spools as vendors wrote it, from the dumps of public readers; and tags without a spool.
enum RealTags {
    /// TigerTag+ of Sunlu: pages 0 to 44 of an NTAG213.
    static let tigerTagPlus = hex(
        """
        1deca5dcb60d10802bc00000e1101200bc0fcb97e945086e954b68008e38ca913e2b2eff0003e81500c800f03206323c306b99ad
        000000000000000000000000000000000000000000000000000000000000000000000000000000000000000085cb7e5ae0020f2d
        22652fb690897bb12eb48245b6cbff65d78d47f1aa9e84d8c8f31f396b5c02f2a4c5b57a4208ac03d860f0749bb42de013bb4539
        131216d4000000bd000000ff000000000000000000000000
        """)
    static let identifier = hex("1DECA5B60D1080")

    /// TigerTag of an Elegoo spool, without a signature: pages 0 to 134 of an NTAG215.
    static let tigerTag =
        hex("04eeee8c783e6181a6480000e1103e005bf59264ffffffff954b68ff8e38e120bcbcbcff0003e81500be00f032082d373162e429")
        + [UInt8](repeating: 0, count: 540 - 52 - 20)
        + hex("000000bd 040000ff 00050000 00000000 00000000")

    /// A spool for Anycubic's ACE.
    static let anycubic =
        hex("53c1263cb9730001cb480000e1101200")
        + hex("7b00650041") + Array("HPLRR-107".utf8) + zeros(10) + Array("AC".utf8) + zeros(18) + Array("PLA".utf8)
        + zeros(17) + hex("ff2e10c8 0000000000000000 3200c800 be00e600") + zeros(16)
        + hex("37004100 af00 4a01 e8030000") + zeros(32) + hex("000000bd 04000004 47000000 00000000 00000000")

    /// A spool of Elegoo in dark blue.
    static let elegoo =
        hex("5356ae23a6740001d3480000e11012000103a00c34030fd1010b5502656c65676f6f2e636f6dfe") + zeros(25)
        + hex("36eeeeeeee0000000080766500000000106dd7ff00be00e60000000000af03e80036c800") + zeros(60)
        + hex("000000bd040000ff00050000 0000000000000000")

    /// A spool for Qidi's box: PETG in light grey.
    static let qidi: [UInt8] = {
        let trailer = hex("ffffffffffffff078069ffffffffffff")
        let first = hex("9bd05af4e5080400044444844aa1a190") + zeros(32) + trailer
        let second = hex("291401") + zeros(45) + trailer
        return first + second + (2..<16).flatMap { _ in zeros(48) + trailer }
    }()

    static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}

extension SpoolMemory {
    static func classic(_ bytes: [UInt8]) -> SpoolMemory { SpoolMemory(layout: .mifareClassic, bytes: bytes) }
}

extension Array {
    /// The array with one element replaced.
    func replacing(_ index: Int, with element: Element) -> Self {
        var copy = self
        copy[index] = element
        return copy
    }

    func replacing(_ index: Int, with elements: [Element]) -> Self {
        var copy = self
        copy.replaceSubrange(index..<index + elements.count, with: elements)
        return copy
    }
}
