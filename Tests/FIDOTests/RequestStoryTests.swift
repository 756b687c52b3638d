import CTAP
import TestSupport
import Testing

@testable import nfcd_fido

@Suite("What the log says of a request")
struct RequestStoryTests {
    @Test(arguments: [
        (
            HIDEndpoint.Body.cbor(hex("06 A3 01 02 02 05 06 48 5333435245545321")),
            CardSecurityKey.Outcome.answer(hex("00 A1 02 48 5333435245545321")),
            "clientPIN 5, 16 bytes: status 00, 12 bytes after 25 ms"
        ),
        (.cbor(hex("01A0")), .cardLost, "makeCredential, 2 bytes: the card left after 25 ms"),
        (.cbor(hex("04")), .deselected, "getInfo, 1 bytes: another program used the card after 25 ms"),
        (.cbor(hex("42")), .failed(.status(0x6D00)), "command 42, 1 bytes: status word 6D00 after 25 ms"),
        (
            .message(hex("00030000")), .answer(hex("5532465F5632 9000")),
            "U2F 03, 4 bytes: status word 9000, 8 bytes after 25 ms"
        ),
        (.cbor(hex("04")), .failed(.tooLong), "getInfo, 1 bytes: no answer (tooLong) after 25 ms"),
    ])
    func `has the command, lengths and the status, and nothing of the payload`(
        body: HIDEndpoint.Body, outcome: CardSecurityKey.Outcome, line: String
    ) {
        let story = RequestStory(body, at: .seconds(1))
        #expect(story.line(outcome, at: .milliseconds(1_025)) == line)
    }
}
