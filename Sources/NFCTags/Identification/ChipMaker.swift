/// The makers of chips by the code that the identifier of a tag begins with, or has behind E0 (ISO/IEC 7816-6).
enum ChipMaker {
    /// The maker; nil for a code that is not listed. 08 begins random identifiers.
    static func name(_ code: UInt8) -> String? { names[code] }

    private static let names: [UInt8: String] = [
        0x01: "Motorola", 0x02: "STMicroelectronics", 0x03: "Hitachi", 0x04: "NXP", 0x05: "Infineon", 0x06: "Cylink",
        0x07: "Texas Instruments", 0x08: "not shown: the identifier is random", 0x09: "Matsushita", 0x0A: "NEC",
        0x0B: "Oki", 0x0C: "Toshiba", 0x0D: "Mitsubishi", 0x0E: "Samsung", 0x0F: "Hynix", 0x16: "EM Microelectronic",
        0x1D: "Shanghai Fudan Microelectronics", 0x1F: "Melexis", 0x2B: "Maxim", 0x33: "AMIC", 0x39: "Silicon Craft",
        0x44: "GenTag", 0x53: "Feiju",
    ]
}
