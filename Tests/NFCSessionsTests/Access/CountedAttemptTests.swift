import NFCReaders
import NFCTags
import NFCTypes
import TestSupport
import Testing
import VirtualTags

@testable import NFCSessions

/// What counts down something that a tag or card does not give back, and the grants for it.
@Suite struct `An attempt that a tag counts` {
    private static func rules(_ capabilities: Set<Capability>) -> CommandRules {
        let sentence = Entitlements(
            formats: [.tag], capabilities: capabilities, selectIdentifiers: .all, systemCodes: .all, readers: .all)
        return CommandRules(reader: Fixtures.desk) { Permissions([sentence]) }
    }

    /// A product with the page of its configuration in the data sheet.
    struct Product: Sendable {
        let model: String
        let configuration: Int
    }

    static let products = [
        Product(model: "ntag213", configuration: 41), Product(model: "ntag215", configuration: 131),
        Product(model: "ntag216", configuration: 227), Product(model: "ultralight-ev1-11", configuration: 16),
        Product(model: "ultralight-ev1-21", configuration: 37),
    ]

    /// A tag with password 01020304 from its configuration on, which takes `limit` wrong passwords (AUTHLIM), 0 for any number.
    ///
    /// - Parameter isHidden: whether its configuration cannot be read without the password either.
    private static func held(
        _ product: Product, limit: UInt8, isHidden: Bool, _ capabilities: Set<Capability>
    ) async throws -> (tag: TagCommands, connection: ModelConnection) {
        let model = try #require(
            try VirtualTagModel.named(product.model).makeTag(ndefMessage: nil) as? VirtualType2Tag)
        var memory = model.memory
        memory[product.configuration * 4 + 3] = isHidden ? 4 : UInt8(product.configuration)
        memory[product.configuration * 4 + 4] = (isHidden ? 0x80 : 0) | limit
        memory.replaceSubrange((product.configuration + 2) * 4..<(product.configuration + 3) * 4, with: [1, 2, 3, 4])
        let locked = try VirtualType2Tag(product: model.product, memory: memory)
        let connection = ModelConnection(
            VirtualReader(tag: locked, settings: try #require(VirtualReaderModel.named("acr122u")).settings))
        let identity = try await identify(atr: connection.answerToReset, channel: connection)
        let contact = TagContact(identity: identity, connection: connection, profile: .profile(reader: "acr122u"))
        return (TagCommands(contact, rules: rules(capabilities)), connection)
    }

    private static func hasSentPassword(_ connection: ModelConnection) -> Bool {
        connection.log.contains { $0.suffix(5).elementsEqual([0x1B, 9, 9, 9, 9]) }
    }

    @Test(arguments: products, [(0, false), (1, false), (7, false), (0, true), (3, true)] as [(UInt8, Bool)])
    func `with tag.authenticate needs lock, unless the tag is known to take any number`(
        product: Product, setting: (limit: UInt8, isHidden: Bool)
    ) async throws {
        for capabilities in [[.raw], [.raw, .write, .read], [.raw, .lock]] as [Set<Capability>] {
            let (tag, connection) = try await Self.held(
                product, limit: setting.limit, isHidden: setting.isHidden, capabilities)
            let error = await failure { _ = try await tag.authenticate(password: [9, 9, 9, 9]) }
            let mayTry = capabilities.contains(.lock) || setting.limit == 0 && !setting.isHidden
            #expect(Self.hasSentPassword(connection) == mayTry, "\(product) \(setting) \(capabilities)")
            #expect(error?.code == (mayTry ? .tagResponseError : .securityViolation), "\(String(describing: error))")
            if !mayTry { Self.checkWords(error) }
        }
    }

    @Test(arguments: products, [(0, false), (1, false), (3, true)] as [(UInt8, Bool)])
    func `with PWD_AUTH as a raw command needs lock, unless ACCESS was read`(
        product: Product, setting: (limit: UInt8, isHidden: Bool)
    ) async throws {
        let readsAccess = [false, true]
        for reads in readsAccess {
            let (tag, connection) = try await Self.held(
                product, limit: setting.limit, isHidden: setting.isHidden, [.raw, .read, .write])
            if reads {
                _ = await failure { _ = try await tag.sendMiFareCommand([0x60]) }
                _ = await failure {
                    _ = try await tag.sendMiFareCommand([0x30, UInt8(product.configuration + 1)])
                }
            }
            let error = await failure { _ = try await tag.sendMiFareCommand([0x1B, 9, 9, 9, 9]) }
            let mayTry = reads && setting.limit == 0 && !setting.isHidden
            #expect(Self.hasSentPassword(connection) == mayTry, "\(product) \(setting) \(reads)")
            if !mayTry { Self.checkWords(error) }
        }
    }

    private static func checkWords(_ error: TagError?) {
        #expect(error?.code == .securityViolation)
        #expect(
            error?.detail.contains(#"no [[grant]] of nfcd.toml gives capabilities = ["raw", "lock"]"#) == true,
            "\(error?.detail ?? "")")
    }

    /// A command of a card that counts wrong answers, with the name of what it counts.
    static let commands: [(name: String, apdu: String)] = [
        ("PIV management key", "0087039B047C028100"), ("PIV PIN", "0020008008313233343536FFFF"),
        ("PIV PIN by CHANGE REFERENCE DATA", "00240080103132333435363738FFFFFFFFFFFFFFFF"),
        ("PIV PUK by RESET RETRY COUNTER", "002C0080103132333435363738FFFFFFFFFFFFFFFF"),
        ("OpenPGP PIN", "0020008106313233343536"), ("OpenPGP Admin PIN", "00200083083132333435363738"),
        ("OpenPGP resetting code", "002C000106313233343536"), ("EXTERNAL AUTHENTICATE", "0082000008AAAAAAAAAAAAAAAA"),
        ("EXTERNAL AUTHENTICATE with a key", "0082008108AAAAAAAAAAAAAAAA"),
        ("PACE without an environment", "10860000027C0000"), ("a chained VERIFY", "1020008004AAAAAAAA"),
        ("a verification on another channel", "0120008004AAAAAAAA"),
        ("AuthenticateEV2First", "9071000002000000"), ("AuthenticateEV2NonFirst", "90770000010000"),
        ("AuthenticateLRPFirst", "907100000300010200"), ("AuthenticateISO", "901A0000010000"),
        ("AuthenticateAES", "90AA0000010000"), ("Authenticate", "900A0000010000"),
        ("the second frame of an authentication", "90AF000020" + String(repeating: "00", count: 32) + "00"),
        ("ChangeKey", "90C40000010000"),
    ]

    @Test(arguments: commands.indices)
    func `of a card is refused by the default grant, with the capability and the file`(index: Int) {
        let (name, apdu) = Self.commands[index]
        let screen = CommandScreen(
            TagIdentity(technology: .iso14443Part4(.a), identifier: [], atr: []), isDESFire: apdu.hasPrefix("90"))
        let rules = CommandRules(reader: Fixtures.desk) { Permissions([Grant.byDefault.entitlements]) }
        do throws(TagError) {
            try rules.check(.apdu(hex(apdu)), by: screen)
            Issue.record("\(name) is permitted")
        } catch {
            Self.checkWords(error)
        }
        let granted = Self.rules([.raw, .lock])
        #expect(throws: Never.self, "\(name)") { try granted.check(.apdu(hex(apdu)), by: screen) }
    }

    @Test(arguments: [
        // SLIX: SET PASSWORD, WRITE PASSWORD, LOCK PASSWORD, DESTROY, ENABLE PRIVACY.
        "22B304AABBCCDDEEFF04E004112233", "22B404AABBCCDDEEFF04E00411223344", "22B504AABBCCDDEEFF04E004",
        "22B904AABBCCDDEEFF04E00411223344", "22BA04AABBCCDDEEFF04E00411223344",
    ])
    func `of an ICODE SLIX is refused by the default grant`(request: String) {
        let screen = CommandScreen(
            TagIdentity(technology: .iso15693, identifier: hex("E004FFEEDDCCBBAA"), atr: []))
        let rules = CommandRules(reader: Fixtures.desk) { Permissions([Grant.byDefault.entitlements]) }
        #expect(throws: TagError.self) { try rules.check(.iso15693(hex(request)), by: screen) }
    }
}
