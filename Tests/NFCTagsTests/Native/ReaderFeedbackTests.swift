import NFCTags
import Testing

@Suite struct `Feedback of a reader` {
    static let rows: [(profile: ReaderProfile, success: String, failure: String)] = [
        (.acr122, "FF0040A00401010101", "FF0040500401010201"),
        (.acr125x, "E0000028010A", "E00000280132"), (.acr1552, "E0000028010A", "E00000280132"),
    ]

    @Test(arguments: rows) func `is one command`(row: (profile: ReaderProfile, success: String, failure: String)) {
        #expect(row.profile.feedback(.success)?.command == hex(row.success))
        #expect(row.profile.feedback(.failure)?.command == hex(row.failure))
    }

    @Test func `says how it gets there and what a good answer is`() {
        for kind in ReaderFeedback.Kind.allCases {
            let blink = ReaderProfile.acr122.feedback(kind)
            #expect(blink?.route == .transmit && blink?.answerPrefix == [0x90] && blink?.isSlow == true)
            for profile in [ReaderProfile.acr125x, .acr1552] {
                let sound = profile.feedback(kind)
                #expect(sound?.route == .escape && sound?.answerPrefix == hex("E1000000") && sound?.isSlow == false)
            }
        }
    }

    @Test func `is unknown for every other reader`() {
        for profile in ReaderProfile.all where ![.acr122, .acr125x, .acr1552].contains(profile) {
            for kind in ReaderFeedback.Kind.allCases { #expect(profile.feedback(kind) == nil, "\(profile.name)") }
        }
    }

    @Test func `can greet tags without a sound on an ACR122U only`() {
        #expect(ReaderProfile.acr122.detectionBeep(false)?.command == hex("FF00520000"))
        #expect(ReaderProfile.acr122.detectionBeep(true)?.command == hex("FF0052FF00"))
        for profile in ReaderProfile.all where profile != .acr122 {
            #expect(profile.detectionBeep(false) == nil && profile.detectionBeep(true) == nil, "\(profile.name)")
        }
    }
}
