@testable import VirtualTags

/// Dump files made up for these tests.
enum DumpTexts {
    static let type2Head = """
        Filetype: Flipper NFC device
        Version: 4
        # A remark
        Device type: NTAG/Ultralight
        UID: 04 11 22 33 44 55 80
        ATQA: 00 44
        SAK: 00
        Data format version: 2
        NTAG/Ultralight type: Mifare Ultralight 11
        Signature: 000102030405060708090A0B0C0D0E0F 101112131415161718191A1B1C1D1E1F
        Mifare version: 00 04 03 01 01 00 0B 03
        Counter 0: 1
        Tearing 0: BD
        Counter 1: 16777215
        Tearing 1: BD
        Counter 2: 0
        Tearing 2: BD
        Pages total: 20
        Pages read: 20

        """

    static func pages(_ count: Int) -> String {
        let first = ["04 11 22 BF", "33 44 55 80", "A2 48 00 00", "E1 10 06 00", "03 00 FE 00"]
        return (0..<count).map { "Page \($0): \($0 < first.count ? first[$0] : "00 00 00 \($0 % 10)0")\n" }.joined()
    }

    static let type2 = type2Head + pages(20)

    static let classic = """
        Filetype: Flipper NFC device
        Version: 2
        Device type: Mifare Classic
        UID: 01 02 03 04
        ATQA: 04 00
        SAK: 08
        Mifare Classic type: MINI
        Data format version: 2
        Block 0: 01 02 03 04 04 08 04 00 00 00 00 00 00 00 00 00
        Block 3: ?? ?? ?? ?? ?? ?? FF 07 80 69 ?? ?? ?? ?? ?? ??
        Block 19: ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ??

        """

    static let slix = """
        Filetype: Flipper NFC device
        Version: 4
        Device type: SLIX
        UID: E0 04 01 00 11 22 33 44
        DSFID: 01
        AFI: 3D
        IC Reference: 02
        Lock DSFID: false
        Lock AFI: false
        Block Count: 3
        Block Size: 04
        Data Content: E1 40 01 00 03 00 FE 00 01 02 03 04
        Security Status: 00 01 00
        Capabilities: Default

        """

    static let feliCa =
        """
        Filetype: Flipper NFC device
        Version: 4
        Device type: FeliCa
        UID: 01 02 03 04 05 06 07 08
        Data format version: 1
        Manufacture id: 01 02 03 04 05 06 07 08
        Manufacture parameter: 00 F1 00 00 00 01 43 00
        Blocks total: 28
        Blocks read: 28

        """
        + (0..<28).map { index in
            let data = index == 23 ? "FF FF FF 01 FF" + String(repeating: " 00", count: 11) : line(index)
            return "Block \(index): \(index == 15 ? "01 B1" : "00 00") \(data)\n"
        }.joined()

    private static func line(_ index: Int) -> String {
        Array(repeating: index < 10 ? "0\(index)" : "\(index)", count: 16).joined(separator: " ")
    }

    static let proxmarkUltralight = """
        {
          "Created": "proxmark3", "FileType": "mfu",
          "Card": {
            "UID": "04112233445580", "Version": "0004030101000B03", "TBO_0": "0000", "TBO_1": "00",
            "Signature": "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F",
            "Counter0": "010000", "Tearing0": "BD", "Counter1": "000001", "Counter2": "000000", "Tearing2": "BD"
          },
          "blocks": { "0": "041122BF", "1": "33445580", "2": "A2480000", "3": "E1100600", "19": "00000000" }
        }
        """

    static let proxmarkClassic = """
        { "Created": "proxmark3", "FileType": "mfc v2",
          "Card": { "UID": "01020304", "ATQA": "0400", "SAK": "08" },
          "blocks": { "0": "01020304040804000000000000000000", "1": "000102030405060708090A0B0C0D0E0F" },
          "SectorKeys": { "0": { "KeyA": "FFFFFFFFFFFF", "AccessConditionsText": { "block0": "read AB" } } } }
        """

    static let proxmark15693 = """
        { "FileType": "15693 v4", "n": [1, 2.5e-3, true, null, ["x"]], "Card": { "uid": "44332211000104E0",
          "dsfid": "01", "afi": "3D", "ic": "02", "bytesperpage": "04", "pagescount": "02" },
          "blocks": { "0": "E1400100", "1": "0300FE00" } }
        """

    static let feliCaJSON = """
        { "Created": "nfcd",
          "FileType": "nfcd felica",
          "Card": { "UID": "0102030405060708", "PMm": "00F1000000014300", "BlockCount": "3" },
          "blocks": { "0": "100401000D0000000000010000000023",
            "14": "????????????????????????????????", "136": "FFFFFF01FF0000000000000000000000" } }
        """

    static let type4JSON = """
        { "Created": "nfcd", "FileType": "nfcd type4",
          "Card": { "UID": "04112233445580", "Product": "an \\"odd\\" \\u0041" },
          "files": { "E103": "000F20003B00340406E10408000000",
            "E104": "0003D00000" } }
        """
}
