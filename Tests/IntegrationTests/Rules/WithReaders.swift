import Foundation

/// Runs a test with an nfcd on a real pcscd, and vpcd's two readers there.
func withReaders(
    configuration text: String? = nil, _ body: (DaemonUnderTest, PrivatePCSC) async throws -> Void
) async throws {
    let pcsc = try await PrivatePCSC()
    let scratch = try Scratch()
    let file = try text.map { try scratch.file("nfcd.toml", $0) }
    let daemon = try await DaemonUnderTest(pcsc, configuration: file)
    // The readers are there as soon as somebody has asked for them.
    _ = try await daemon.run("readers")
    try await body(daemon, pcsc)
    await daemon.process.end()
    await pcsc.end()
}
