import Testing

@testable import NFCReaders

@Suite struct `A pcsc-lite reader name` {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let base: String
        var slot = 0
        var serial: String?
        let slug: String

        var testDescription: String { name }
    }

    static let rows: [Row] = [
        Row(
            name: "ACS ACR122U PICC Interface 00 00", base: "ACS ACR122U PICC Interface",
            slug: "acs-acr122u-picc-interface-0"),
        Row(
            name: "ACS ACR122U PICC Interface 01 00", base: "ACS ACR122U PICC Interface",
            slug: "acs-acr122u-picc-interface-0"),
        Row(
            name: "ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] (E012-1) 02 00",
            base: "ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] (E012-1)", serial: "E012-1",
            slug: "acs-acr1252-dual-reader-acr1252-dual-reader-picc-e012-1-0"),
        Row(
            name: "HID Global OMNIKEY 5422 (AB) 0A 01", base: "HID Global OMNIKEY 5422 (AB)", slot: 1, serial: "AB",
            slug: "hid-global-omnikey-5422-ab-1"),
        Row(name: "Virtual PCD 00 1F", base: "Virtual PCD", slot: 31, slug: "virtual-pcd-31"),
        Row(name: "Reader (one) (two) 00 00", base: "Reader (one) (two)", serial: "two", slug: "reader-one-two-0"),
        Row(name: "Reader () 00 00", base: "Reader ()", slug: "reader-0"),
        Row(name: "Reader )( 00 00", base: "Reader )(", slug: "reader-0"),
        Row(name: "No numbers", base: "No numbers", slug: "no-numbers-0"),
        Row(name: "Reader 00 0", base: "Reader 00 0", slug: "reader-00-0-0"),
        Row(name: "Reader 000 00", base: "Reader 000 00", slug: "reader-000-00-0"),
        Row(name: "Reader XY 00", base: "Reader XY 00", slug: "reader-xy-00-0"),
        Row(name: "00 00", base: "00 00", slug: "00-00-0"),
        Row(name: "", base: "", slug: "reader-0"),
        Row(name: "Lesegerät 00 00", base: "Lesegerät", slug: "leseger-t-0"),
    ]

    @Test(arguments: rows) func `tells base, slot and serial number`(row: Row) {
        let naming = ReaderNaming(row.name)
        #expect(naming.base == row.base)
        #expect(naming.slot == row.slot)
        #expect(naming.serial == row.serial)
        #expect(naming.slug == row.slug)
    }

    static let modules: [(String, Bool)] = [
        ("ACS ACR1252 Dual Reader [ACR1252 Dual Reader SAM] (E012-1) 03 00", true),
        ("ACS ACR1281 SAM Interface 00 02", true),
        ("ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] (E012-1) 02 00", false), ("SAMSUNG Reader 00 00", false),
        ("Sam's Reader 00 00", false),
    ]

    @Test(arguments: modules) func `tells slots for access modules`(name: String, isModule: Bool) {
        #expect(ReaderNaming(name).isSecureAccessModule == isModule)
    }
}
