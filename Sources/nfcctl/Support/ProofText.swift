public import ArgumentParser
import NDEF
public import NFCTypes

extension TapProof {
    /// The result for people, in one line: `proven by door v1`, `REPLAYED: the counter 5 is not above 5, …`.
    var text: String {
        guard !isProven else { return "proven by \(source)\(credentialText)\(scopeText)" }
        return "\(status.words)\(reason.map { ": \($0.printable)" } ?? " (\(source))")"
    }

    /// Begins the text of a tap: before the content of the tag, which anyone can write.
    var prefix: String { "\(text); " }

    /// The key and its version, or the profile.
    private var source: String {
        (key ?? profile).escaped + (keyVersion.map { " v\($0)" } ?? "")
    }

    private var credentialText: String { credential.map { ", credential \($0)" } ?? "" }

    private var scopeText: String {
        scope == .limited ? " (limited: nfcd's counters were lost or restored)" : ""
    }

    /// What a person should know who reads a link in the output: the server that checks it has not seen its counter; nil for tags
    /// whose link proves nothing.
    var linkAdvice: String? {
        isProven && method == .sun
            ? "the link is valid once more, for the first who opens it: do not pass it on" : nil
    }

    /// The names and values of everything.
    var facts: [[String]] {
        var facts = [["proof", text], ["profile", profile.escaped]]
        if let method { facts.append(["method", method.words]) }
        if let counter { facts.append(["counter", "\(counter)\(previousCounter.map { ", before \($0)" } ?? "")"]) }
        if let identifier { facts.append(["proven UID", HexDump.pairs(identifier.bytes, separator: ":")]) }
        if let tamper {
            facts.append(["tamper loop", "now \(tamper.current.escaped), so far \(tamper.permanent.escaped)"])
        }
        return facts
    }
}

extension TapProof.Status {
    /// The status in words. Capitals are for what may be an attack.
    fileprivate var words: String {
        switch self {
        case .proven: "proven"
        case .replayed: "REPLAYED"
        case .failed: "FAILED"
        case .unknownKey: "unknown key"
        case .tamperOpen: "TAMPER LOOP OPEN"
        case .weak: "WEAK"
        case .notProven: "not proven"
        case .delayed: "try later"
        case .incomplete: "proof incomplete"
        }
    }
}

extension TapProof.Method {
    fileprivate var words: String {
        switch self {
        case .mutual: "the tag answered a challenge"
        case .sun: "the code in the message"
        }
    }
}

extension ProofRequirement: ExpressibleByArgument {}

/// The option `--require`.
struct ProofOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("proven: only taps whose tag has proven itself (default: all).", valueName: "proof"))
    var require: ProofRequirement?

    /// Whether a tap is wanted.
    func admits(_ proof: TapProof?) -> Bool { require == nil || proof?.isProven == true }
}
