import Foundation
import Testing

/// `nfcctl transceive` through simulated readers that do not show the ACK of a tag, and one that does.
@Suite(.timeLimit(.minutes(20)))
struct `Raw writes` {
    @Test(arguments: ["acr122u", "acr1252u", "acr1552u"])
    func `are acknowledged, or fail with the reason`(model: String) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, model: model)
        let tag = try await daemon.tap("ntag213")
        let written = try await daemon.run("transceive", "A21001020304", "3010")
        #expect(written.status == 0, "\(written.errors)")
        #expect(written.output.contains("< 0A"), "\(written.output)")
        #expect(written.output.contains { $0.hasPrefix("< 01020304") }, "\(written.output)")
        // The password is C1D2E3F4 and its acknowledge AABB.
        let password = try await daemon.run("transceive", "A22BC1D2E3F4", "A22CAABB0000", "1BC1D2E3F4")
        #expect(password.status == 0 && password.output.last == "< AABB", "\(password.errors)")
        let refused = try await daemon.run("transceive", "A2FF01020304")
        #expect(refused.status == 74, "\(refused.output)")
        if model == "acr122u" {
            #expect(refused.errors.contains { $0.contains("the tag refused it") }, "\(refused.errors)")
        }
        #expect(try await daemon.run("transceive", "1B00000000").status == 74)
        await tag.end(SIGINT)
        await daemon.process.end()
    }
}
