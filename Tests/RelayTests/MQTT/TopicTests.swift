import NFCProtocol
import NFCTypes
import Testing

@testable import nfcd_relay

@Suite struct TopicTests {
    private let identity = RelayIdentity(site: "lab", device: "desk")

    @Test(arguments: [
        ("nfcd/{site}/{device}/{reader}/tap", "nfcd/lab/desk/desk-1/tap"),
        ("taps", "taps"),
        ("door-{reader}/{type}/{identifier}", "door-desk-1/miFare/04A12280"),
        ("a/{site}{device}", "a/labdesk"),
    ])
    func `placeholders are replaced`(template: String, topic: String) throws {
        #expect(try TopicTemplate(template).topic(identity, .sample()) == topic)
    }

    @Test(arguments: [
        ("", "a level is empty"), ("/taps", "a level is empty"), ("taps/", "a level is empty"),
        ("a//b", "a level is empty"),
        ("taps/#", "\"#\" is not allowed"), ("a+b", "not allowed"), ("$SYS/taps", "not allowed"),
        ("my taps", "not allowed"),
        ("a.b", "not allowed"),
        ("{serial}", "{serial} is not a placeholder; use {site}, {device}, {reader}, {type}, {identifier}"),
        ("{site", "a placeholder has no }"), ("site}", "not allowed"), ("é", "not allowed"),
        (Array(repeating: "a", count: 17).joined(separator: "/"), "at most 16 levels"),
    ])
    func `an invalid template is refused with what to write`(template: String, words: String) {
        let error = #expect(throws: TopicTemplate.Failure.self) { try TopicTemplate(template) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [
        "Desk Reader", "a.b", "*", ">", "#", "+", "", "$SYS", "é", "a/b", "a\u{0}b", String(repeating: "x", count: 65),
    ])
    func `a name becomes a level that every broker takes`(name: String) {
        let level = TopicLevel.safe(name)
        #expect((1...64).contains(level.utf8.count))
        #expect(level.utf8.allSatisfy(TopicLevel.isSafe))
        #expect(level != name)
    }

    @Test func `two names do not share a level, and a safe name is kept`() {
        #expect(TopicLevel.safe("a b") != TopicLevel.safe("a.b"))
        #expect(TopicLevel.safe("ACR122U-0_x") == "ACR122U-0_x")
    }

    @Test func `a tag without a UID has its own level`() throws {
        let tap = RecordedTap.sample(identifier: [])
        #expect(try TopicTemplate("{identifier}").topic(identity, tap) == "none")
        #expect(TopicTemplate.standard.topic(identity, reader: nil) == "nfcd/lab/desk/none/tap")
    }

    @Test func `the client id is 20 letters and digits, the same at every start and another for each consumer`() {
        let id = BrokerClientID.derived(identity, consumer: "home")
        #expect(id.hasPrefix("nfcd") && id.utf8.count == 20)
        #expect(id == BrokerClientID.derived(identity, consumer: "home"))
        #expect(id != BrokerClientID.derived(identity, consumer: "office"))
        #expect(id != BrokerClientID.derived(RelayIdentity(site: "lab", device: "door"), consumer: "home"))
    }
}
