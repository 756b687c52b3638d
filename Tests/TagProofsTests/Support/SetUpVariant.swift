import SecureTags
import TagProofs
import TestSupport
import VirtualTags

/// The ways in which an NTAG 424 DNA is set up.
enum SetUpVariant: CaseIterable {
    case plain
    /// With a message that is written in parts.
    case long
    /// With a challenge only; the message stays.
    case challenge
    case lrp
    /// A TagTamper with LRP, a tamper loop and a hidden UID, which is given.
    case everything

    static let longURL = "https://ex.am/" + String(repeating: "x", count: 120) + "?p={picc}&c={mac}"

    /// A tag as delivered, but for its content.
    func bench() throws -> SetUpBench {
        var profile = self == .challenge ? SetUpBench.challenge : SetUpBench.profile
        profile.usesLRP = self == .lrp || self == .everything
        if self == .long { profile.url = Self.longURL }
        if self == .everything {
            profile.url = "https://ex.am/?p={picc}&t={tt}&c={mac}"
            profile.expectsTamper = true
        }
        var bench = try SetUpBench(profile) { setup in
            if self == .everything {
                setup = VirtualNTAG424Setup(tamperLoop: VirtualTamperLoop())
                setup.identifier = Site.uid
            }
            setup.files[3] = [UInt8](repeating: 0xA5, count: 128)
            if self == .challenge { setup.files[2] = hex("0008D1010455046162632F") }
        }
        bench.options.makers = []
        switch self {
        case .plain, .long, .challenge: break
        case .lrp: bench.options.irreversible = [.lrp]
        case .everything:
            bench.options.irreversible = [.lrp, .tamper, .randomUID]
            bench.options.uid = Site.uid
        }
        return bench
    }
}
