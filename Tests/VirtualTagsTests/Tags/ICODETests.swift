import Testing
import TestSupport

@testable import VirtualTags

/// The custom commands of the ICODE SLIX2 model, and what they refuse, byte by byte.
@Suite struct `ICODE SLIX2 model` {
    private static let uid = "E004010801020304"
    private static let sent = "04030201080104E0"

    /// A tag as delivered.
    private static func tag() throws -> VirtualISO15693Tag {
        var tag = try VirtualISO15693Tag(product: .slix2, identifier: hex(uid))
        tag.activate()
        return tag
    }

    /// Sends a custom command to the tag's UID.
    private static func send(_ code: String, _ parameters: String = "", to tag: inout VirtualISO15693Tag) -> String {
        tag.send("22" + code + "04" + sent + parameters)
    }

    /// Gives a password of 8 digits.
    private static func give(_ kind: String, _ password: String, to tag: inout VirtualISO15693Tag) -> String {
        let random = hex(String(send("B2", to: &tag).dropFirst(2)))
        return send("B3", kind + hex(zip(hex(password), random + random).map { $0 ^ $1 }), to: &tag)
    }

    @Test func `the passwords are as delivered, and no other is taken`() throws {
        for (kind, password) in [
            ("01", "00000000"), ("02", "00000000"), ("04", "0F0F0F0F"), ("08", "0F0F0F0F"), ("10", "00000000"),
        ] {
            var tag = try Self.tag()
            #expect(Self.give(kind, password, to: &tag) == "00", "\(kind)")
            #expect(Self.give(kind, "12345678", to: &tag) == "010F", "\(kind)")
            #expect(tag.send("022000") == "silence", "\(kind)")
            tag.fieldDropped()
            tag.activate()
            #expect(tag.send("022000") == "0000000000", "\(kind)")
        }
    }

    @Test func `a random number serves one password`() throws {
        var tag = try Self.tag()
        let random = hex(String(Self.send("B2", to: &tag).dropFirst(2)))
        #expect(Self.send("B3", "02" + hex(random + random), to: &tag) == "00")
        #expect(Self.send("B3", "01" + hex(random + random), to: &tag) == "010F")
        #expect(Self.send("B2", to: &tag) != Self.send("B2", to: &tag))
    }

    /// Commands that a tag as delivered refuses without a password, though it has them.
    @Test(
        arguments: [
            ("B4", "0211223344"), ("B5", "02"), ("B6", "0020"), ("B7", "00"), ("BB", ""), ("A6", ""),
            ("B3", "0200000000"),
            ("B9", "0F0F0F0F"), ("BA", "0F0F0F0F"), ("B6", "00"), ("B8", "4F00"), ("B2", "00"),
        ])
    func `what takes a password is refused without it`(code: String, parameters: String) throws {
        var tag = try Self.tag()
        #expect(Self.send(code, parameters, to: &tag) == "010F")
        #expect(tag.icode == VirtualICODE())
    }

    @Test func `another maker's command is not answered, an unknown one is`() throws {
        var tag = try Self.tag()
        #expect(tag.send("22B205" + Self.sent) == "silence")
        #expect(tag.send("02B2") == "silence")
        #expect(tag.send("22B20404030201080104E1") == "silence")
        #expect(Self.send("C0", to: &tag) == "0101")
    }

    @Test func `a new password takes the old one, and has to be given again`() throws {
        var tag = try Self.tag()
        #expect(Self.give("02", "00000000", to: &tag) == "00")
        #expect(Self.send("B4", "02A1B2C3D4", to: &tag) == "00")
        #expect(Self.send("B4", "0200000000", to: &tag) == "010F")
        #expect(Self.give("02", "A1B2C3D4", to: &tag) == "00")
        #expect(Self.send("B5", "02", to: &tag) == "00")
        #expect(Self.send("B4", "0200000000", to: &tag) == "010F")
        #expect(tag.icode?.passwords[.write] == [0xA1, 0xB2, 0xC3, 0xD4])
    }

    @Test func `a protected page needs its password, and the other page does not`() throws {
        var tag = try Self.tag()
        for kind in ["01", "02"] { #expect(Self.give(kind, "00000000", to: &tag) == "00") }
        for parameters in ["4F02", "4304", "FF00"] { #expect(Self.send("B6", parameters, to: &tag) == "010F") }
        #expect(Self.send("B6", "0302", to: &tag) == "00")
        #expect(Self.send("AB", to: &tag) == "000302007F350000")
        #expect(Self.send("B8", "0104", to: &tag) == "000404000000")
        tag.fieldDropped()
        tag.activate()
        #expect(tag.send("02210201020304") == "010F")
        #expect(tag.send("022202") == "010F")
        #expect(tag.send("02210301020304") == "00")
        #expect(tag.send("022002") == "0000000000")
        #expect(Self.give("02", "00000000", to: &tag) == "00")
        #expect(tag.send("02210201020304") == "00")
    }

    @Test func `a page protected against reading takes the read password for both`() throws {
        var tag = try Self.tag()
        for kind in ["01", "02"] { _ = Self.give(kind, "00000000", to: &tag) }
        #expect(Self.send("B6", "0A10", to: &tag) == "00")
        tag.fieldDropped()
        tag.activate()
        #expect(tag.send("02200A") == "010F")
        #expect(tag.send("02230802") == "010F")
        #expect(tag.send("02230801") == "000000000000000000")
        #expect(tag.send("02204F") == "0000000000")
        #expect(Self.give("02", "00000000", to: &tag) == "00")
        #expect(tag.send("02210A01020304") == "010F")
        #expect(Self.give("01", "00000000", to: &tag) == "00")
        #expect(tag.send("02210A01020304") == "00")
        #expect(tag.send("02200A") == "0001020304")
    }

    @Test func `with 64 bits both passwords are needed, permanently`() throws {
        var tag = try Self.tag()
        for kind in ["01", "02"] { _ = Self.give(kind, "00000000", to: &tag) }
        #expect(Self.send("B6", "0020", to: &tag) == "00")
        #expect(Self.send("BB", to: &tag) == "00")
        tag.fieldDropped()
        tag.activate()
        _ = Self.give("02", "00000000", to: &tag)
        #expect(tag.send("02210001020304") == "010F")
        _ = Self.give("01", "00000000", to: &tag)
        #expect(tag.send("02210001020304") == "00")
    }

    @Test func `locked conditions stay`() throws {
        var tag = try Self.tag()
        for kind in ["01", "02"] { _ = Self.give(kind, "00000000", to: &tag) }
        #expect(Self.send("B6", "0520", to: &tag) == "00")
        #expect(Self.send("B7", "04", to: &tag) == "010F")
        #expect(Self.send("B7", "05", to: &tag) == "00")
        #expect(Self.send("B7", "05", to: &tag) == "010F")
        #expect(Self.send("B6", "0000", to: &tag) == "010F")
        #expect(Self.send("AB", to: &tag) == "000520087F350000")
        #expect(Self.send("B8", "0401", to: &tag) == "00080C")
    }

    @Test func `in privacy mode it answers two commands, and its password ends it`() throws {
        var tag = try Self.tag()
        let random = hex(String(Self.send("B2", to: &tag).dropFirst(2)))
        let hidden = zip(hex("0F0F0F0F"), random + random).map { $0 ^ $1 }
        #expect(tag.isDetectable)
        #expect(Self.send("BA", hex(hidden), to: &tag) == "00")
        tag.fieldDropped()
        tag.activate()
        #expect(!tag.isDetectable)
        for command in ["022000", "222B" + Self.sent, "22AB04" + Self.sent] { #expect(tag.send(command) == "silence") }
        let next = hex(String(tag.send("02B204").dropFirst(2)))
        #expect(next.count == 2)
        let password = zip(hex("0F0F0F0F"), next + next).map { $0 ^ $1 }
        #expect(tag.send("02B30404" + hex(password)) == "00")
        #expect(tag.isDetectable)
        #expect(tag.send("022000") == "0000000000")
    }

    @Test func `a destroyed tag never answers again`() throws {
        var tag = try Self.tag()
        let random = hex(String(Self.send("B2", to: &tag).dropFirst(2)))
        #expect(Self.send("B9", hex(zip(hex("0F0F0F0F"), random + random).map { $0 ^ $1 }), to: &tag) == "00")
        tag.fieldDropped()
        tag.activate()
        #expect(tag.send("02B204") == "silence")
        #expect(!tag.isDetectable)
    }

    @Test func `EAS and AFI can be locked, or protected by their password`() throws {
        var tag = try Self.tag()
        #expect(Self.send("A5", to: &tag) == "silence")
        #expect(Self.send("A2", to: &tag) == "00")
        #expect(Self.send("A5", to: &tag).count == 66)
        #expect(Self.give("10", "00000000", to: &tag) == "00")
        #expect(Self.send("A6", to: &tag) == "00")
        #expect(tag.send("62A604" + Self.sent) == "00")
        tag.fieldDropped()
        tag.activate()
        #expect(Self.send("A3", to: &tag) == "010F")
        #expect(tag.send("022701") == "010F")
        #expect(Self.give("10", "00000000", to: &tag) == "00")
        #expect(tag.send("022701") == "00")
        #expect(Self.send("A3", to: &tag) == "00")
        #expect(Self.send("A4", to: &tag) == "00")
        #expect(Self.send("A2", to: &tag) == "010F")
        #expect(Self.send("AB", to: &tag) == "000000027F350000")
    }

    @Test func `setting the counter takes the write password, and counting what byte 3 says`() throws {
        var tag = try Self.tag()
        #expect(tag.send("02214F05000001") == "010F")
        #expect(tag.send("02214F01000000") == "00")
        _ = Self.give("02", "00000000", to: &tag)
        #expect(tag.send("02214F05000001") == "00")
        #expect(tag.send("02204F") == "0005000001")
        #expect(tag.send("02214F01000001") == "010F")
        _ = Self.give("01", "00000000", to: &tag)
        #expect(tag.send("02214F01000001") == "00")
        #expect(tag.send("02204F") == "0006000001")
    }

    @Test func `an ICODE SLIX has none of this`() throws {
        var tag = try VirtualISO15693Tag(product: .slix, identifier: hex("E004011001020304"))
        tag.activate()
        #expect(tag.send("22B20404030201100104E0") == "silence")
        #expect(tag.send("02B204") == "0101")
    }
}
