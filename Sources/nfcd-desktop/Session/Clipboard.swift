/// The clipboard of the session, through `wl-copy` or `xclip`.
struct Clipboard: Sendable {
    private let environment: [String: String]

    init(_ environment: [String: String]) { self.environment = environment }

    /// The program that copies, with its arguments; a failure gives what to install.
    func program() throws(HelperProgram.Failure) -> (HelperProgram, [String]) {
        let wanted: (String, [String], String)
        if environment["WAYLAND_DISPLAY"]?.isEmpty == false {
            wanted = ("wl-copy", ["--type", "text/plain;charset=utf-8"], "wl-clipboard")
        } else if environment["DISPLAY"]?.isEmpty == false {
            wanted = ("xclip", ["-selection", "clipboard", "-in"], "xclip")
        } else {
            throw HelperProgram.Failure(
                description: "the session has no display: neither WAYLAND_DISPLAY nor DISPLAY is set")
        }
        guard let program = HelperProgram(wanted.0, environment) else {
            throw HelperProgram.Failure(description: "\(wanted.0) is missing; install \(wanted.2)")
        }
        return (program, wanted.1)
    }

    /// Copies a text.
    func copy(_ text: String) async throws(HelperProgram.Failure) {
        let (program, arguments) = try program()
        try await program.run(arguments, input: text, leaves: true)
    }
}
