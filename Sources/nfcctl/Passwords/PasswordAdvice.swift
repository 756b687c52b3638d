import NFCClient
import NFCTypes

extension NFCClientError {
    /// How to give the password that an error of a tag asks for; nil for any other error.
    ///
    /// nfcd names what the tag needs in words that fit every client. The option is nfcctl's, and named here for all drivers.
    var passwordAdvice: String? {
        guard isFromTag, let detail, let options = Self.passwordOptions(for: detail) else { return nil }
        return "Give \(options.count > 1 ? "the passwords" : "the password") with \(options.joined(separator: " "))."
    }

    /// The options for the passwords that nfcd asks for in these words; nil where it does not ask for any.
    static func passwordOptions(for detail: String) -> [String]? {
        guard asks(for: detail) else { return nil }
        let kinds = PasswordKindOption.allCases.filter { detail.contains($0.kind.words) }
        let values = kinds.isEmpty ? ["FILE"] : kinds.map { "\($0.rawValue)=FILE" }
        return values.map { "--tag-password-file \($0)" }
    }

    /// Whether the tag was reached, and its answer is the reason.
    private var isFromTag: Bool {
        switch nfcCode {
        case .tagResponseError, .tagNotWritable, .tagUpdateFailure, .unsupportedFeature: true
        default: false
        }
    }

    /// The forms in which the drivers state that a password or key is missing.
    private static let forms = [
        "give it first", "give both first", "needs a password", "need the tag's password", "needs the tag's password",
        "without its password", "without its AES key", "needs its present",
    ]

    private static func asks(for detail: String) -> Bool { forms.contains { detail.contains($0) } }

    /// The same for a command that sets a password, and the command that replaces one; nil for any other error.
    var changeAdvice: String? {
        passwordAdvice.map { "\($0) To replace a password that the tag has, run nfcctl password change." }
    }

    /// What to do where a change of passwords was interrupted, so that more than one state is possible; nil for any other error.
    var interruptedPasswordAdvice: String? {
        guard nfcCode == .tagUpdateFailure || nfcCode == .tagConnectionLost, detail?.contains("the tag has") == true
        else { return nil }
        return
            "Hold the tag to the reader again. nfcctl info shows which pages need a password. Then run this command again, with the password that the tag has in --tag-password-file: the old one, or the new one if the old one is refused."
    }
}
