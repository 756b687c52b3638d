import CTAP
import Testing

@Suite struct `The numbers of CTAPHID` {
    @Test func `a message has at most 7,609 bytes`() {
        #expect(CTAPHID.longestMessage == 7609)
    }
}
