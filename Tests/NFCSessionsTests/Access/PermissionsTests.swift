import NFCReaders
import NFCTags
import Testing

@testable import NFCSessions

/// A grant is one sentence: these formats and capabilities, on these readers, with these applications.
@Suite struct `The permissions of a client` {
    static let desk = ReaderDescription(id: ReaderID(rawValue: "desk"), name: "Desk Reader")
    static let door = ReaderDescription(id: ReaderID(rawValue: "door"), name: "Door Reader")
    private static let oath: [UInt8] = [0xA0, 0, 0, 5, 0x27]
    private static let piv: [UInt8] = [0xA0, 0, 0, 3, 8]
    /// Reading at the desk, and raw commands to a login card at the door.
    private static let both = Permissions([
        Entitlements(
            formats: [.ndef], capabilities: [.read, .background], selectIdentifiers: .some([oath]),
            readers: .some(["desk"])),
        Entitlements(
            formats: [.tag], capabilities: [.raw, .read], selectIdentifiers: .some([piv]), systemCodes: .some([0x12FC]),
            readers: .some(["Door Reader"])),
    ])

    @Test(arguments: [
        ([Capability.read], desk, true), ([.raw], desk, false), ([.raw], door, true), ([.background], door, false),
        ([.raw, .read], door, true), ([.background, .read], desk, true), ([.background, .raw], door, false),
        ([.write], desk, false),
    ])
    func `allow on a reader what one sentence allows there`(
        capabilities: [Capability], reader: ReaderDescription, isAllowed: Bool
    ) {
        #expect(Self.both.allow(capabilities, on: reader) == isAllowed)
        #expect((Self.both.objection(to: capabilities, on: reader) == nil) == isAllowed)
    }

    @Test func `never combine the fields of sentences`() {
        let sentences = Self.both.sentences
        for capability in Capability.allCases {
            for reader in [Self.desk, Self.door] {
                let isInOne = sentences.contains {
                    $0.capabilities.contains(capability) && $0.readers.permits(reader)
                }
                #expect(Self.both.allow([capability], on: reader) == isInOne)
            }
        }
        #expect(Self.both.selectIdentifiers(on: Self.desk) == .some([Self.oath]))
        #expect(Self.both.selectIdentifiers(on: Self.door) == .some([Self.piv]))
        #expect(Self.both.systemCodes(on: Self.desk) == .some([]))
    }

    @Test func `name the reader where only that is missing`() throws {
        let objection = try #require(Self.both.objection(to: [.raw], on: Self.desk))
        #expect(
            objection.detail
                == #"this command is not granted to you on reader desk: no [[grant]] of nfcd.toml gives readers = ["desk"] together with capabilities = ["raw"]"#
        )
    }

    @Test func `name all capabilities that one sentence has to give`() {
        let objection = Self.both.objection(to: [.background, .raw], on: Self.desk)
        #expect(objection?.detail.contains(#"gives capabilities = ["background", "raw"]"#) == true)
    }

    @Test func `of an operator without readers are about all of nfcd`() {
        let everywhere = Permissions([Entitlements(capabilities: [.monitor, .read])])
        #expect(everywhere.allow([.monitor], on: Self.door) && everywhere.allow([.monitor]))
        #expect(!everywhere.allow([.read], on: Self.door) && !everywhere.allow([.read, .monitor]))
        let here = Permissions([Entitlements(capabilities: [.monitor], readers: .some(["desk"]))])
        #expect(here.allow([.monitor], on: Self.desk) && !here.allow([.monitor], on: Self.door))
    }

    @Test func `summarize what any sentence gives`() {
        let summary = Self.both.summary
        #expect(summary.formats == [.ndef, .tag] && summary.capabilities == [.read, .background, .raw])
        #expect(summary.readers == .some(["desk", "Door Reader"]))
        #expect(summary.selectIdentifiers == .some([Self.oath, Self.piv]))
    }

    // MARK: Sessions

    @Test(arguments: [SessionFormat.ndef, .tag]) func `of a door name what a session for commands lacks, and the grant`(
        format: SessionFormat
    ) throws {
        var door = Entitlements(formats: [.ndef, .tag], capabilities: [.read, .background], readers: .all)
        door.requiresProof = true
        let request = SessionRequest(kind: format == .ndef ? .ndef : .tag, detection: .tags)
        let objection = try #require(Permissions([door]).objection(to: request))
        let words = #"formats = ["\#(format.rawValue)"] without require = "proven""#
        #expect(objection.detail.contains("gives \(words)") && objection.refusal?.missing == words)
        #expect(!objection.detail.contains("[]"), "\(objection.detail)")
        let grant = try #require(objection.refusal?.grant)
        #expect(grant.contains { $0.hasPrefix("capabilities = [\"read\"") }, "\(grant)")
        #expect(!grant.contains { $0.contains("require") })
    }

    @Test func `give a session the readers of its format`() {
        let messages = Self.both.readers(for: SessionRequest())
        #expect(messages.permit(Self.desk) && !messages.permit(Self.door))
        let tags = Self.both.readers(for: SessionRequest(kind: .tag))
        #expect(tags.permit(Self.door) && !tags.permit(Self.desk))
    }

    @Test func `give a session that delivers messages the readers that its format and read are granted on together`() {
        let split = Permissions([
            Entitlements(formats: [.ndef], readers: .some(["desk"])),
            Entitlements(capabilities: [.read], readers: .some(["desk"])),
            Entitlements(formats: [.ndef], capabilities: [.read], readers: .some(["door"])),
        ])
        let readers = split.readers(for: SessionRequest())
        #expect(readers.permit(Self.door) && !readers.permit(Self.desk))
        #expect(split.readers(for: SessionRequest(detection: .tags)).permit(Self.desk))
    }

    @Test func `let only card sessions look for PACE where both formats are granted`() {
        let split = Permissions([
            Entitlements(formats: [.tag], readers: .all), Entitlements(formats: [.pace], readers: .some(["door"])),
        ])
        let readers = split.readers(for: SessionRequest(kind: .tag, polling: [.pace]))
        #expect(readers.permit(Self.door) && !readers.permit(Self.desk))
        let options = PollingOptions(technologies: [.pace, .iso14443])
        #expect(options.narrowed(to: split, on: Self.desk).technologies == [.iso14443])
        #expect(options.narrowed(to: split, on: Self.door).technologies == [.pace, .iso14443])
    }

    @Test func `bound what is polled on each reader`() {
        let options = PollingOptions(selectIdentifiers: [Self.oath, Self.piv], systemCodes: [0x0003, 0x12FC])
        let (desk, door) = (
            options.narrowed(to: Self.both, on: Self.desk), options.narrowed(to: Self.both, on: Self.door)
        )
        #expect(desk.selectIdentifiers == [Self.oath] && desk.systemCodes == [])
        #expect(door.selectIdentifiers == [Self.piv] && door.systemCodes == [0x12FC])
        #expect(PollingOptions().narrowed(to: Self.both, on: Self.door).selectIdentifiers == [Self.piv])
        #expect(PollingOptions().narrowed(to: .everything, on: Self.door) == PollingOptions())
    }

    private static let login = Permissions([
        Entitlements(
            formats: [.tag], selectIdentifiers: .some([piv]), systemCodes: .some([0x12FC]), readers: .some(["desk"]))
    ])

    @Test func `let a session begin that they name`() {
        let request = SessionRequest(
            kind: .tag, selectIdentifiers: [Self.piv], systemCodes: [0x12FC], readers: ["desk"])
        #expect(Self.login.objection(to: request) == nil)
        let any = SessionRequest(
            kind: .tag, polling: [.pace], selectIdentifiers: [[1, 2, 3, 4, 5]], systemCodes: [3], readers: ["nowhere"])
        #expect(Permissions.everything.objection(to: any) == nil)
    }

    @Test(arguments: [
        (SessionRequest(), #"formats = ["NDEF"]"#),
        (SessionRequest(kind: .tag, polling: [.pace]), #"formats = ["PACE"]"#),
        (
            SessionRequest(kind: .tag, selectIdentifiers: [[0xA0, 0, 0, 3, 9]]),
            #"iso7816-select-identifiers = ["A000000309"]"#
        ),
        (
            SessionRequest(kind: .tag, selectIdentifiers: [piv, [0xA0, 0, 0, 0x0F, 1]]),
            #"iso7816-select-identifiers = ["A000000F01"]"#
        ),
        (SessionRequest(kind: .tag, systemCodes: [0x12FC, 0x0003]), #"felica-system-codes = ["0003"]"#),
        (SessionRequest(kind: .tag, readers: ["desk", "door"]), #"readers = ["door"]"#),
    ])
    func `name what a session lacks`(request: SessionRequest, key: String) throws {
        let objection = try #require(Self.login.objection(to: request, among: [Self.desk, Self.door]))
        #expect(objection.code == .securityViolation)
        #expect(objection.detail.contains("no [[grant]] of nfcd.toml gives \(key)"))
    }

    @Test(arguments: [
        (["Desk Reader"], true), (["desk", "Desk Reader"], true), (["door"], false), (["Door Reader"], false),
    ])
    func `know a reader by both of its names`(names: [String], isGranted: Bool) {
        let objection = Self.login.objection(
            to: SessionRequest(kind: .tag, readers: names), among: [Self.desk, Self.door])
        #expect((objection == nil) == isGranted)
    }

    @Test func `without a reader are worth nothing to a session`() {
        let objection = Permissions([Entitlements(formats: [.tag])]).objection(to: SessionRequest(kind: .tag))
        #expect(objection?.detail.contains(#"readers = ["*"]"#) == true)
    }
}
