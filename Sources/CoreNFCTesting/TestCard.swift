public import CoreNFC
import TagRecordings
public import VirtualTags

extension TestTag {
    /// A card with applications of the test's own: `NFCISO7816Tag` where the session looks for one of their AIDs.
    ///
    /// The card behaves as any other card of ISO/IEC 14443-4: a session selects the AIDs of the app's `Info.plist` in their order,
    /// and delivers the card with the first that exists.
    ///
    /// ```swift
    /// try await withVirtualTag(.card(applications: [Wallet()])) { card in … }
    /// ```
    ///
    /// - Parameters:
    ///   - identifier: the UID, 4, 7 or 10 bytes; nil for a made-up one.
    ///   - historicalBytes: 0 to 15 bytes, `historicalBytes` of `NFCISO7816Tag`.
    ///   - features: whether it takes chained and extended commands.
    ///   - applications: in the order in which a partial AID finds them.
    public static func card(
        identifier: Data? = nil, historicalBytes: Data = Data(),
        features: VirtualApplicationCard.Features = .init(), applications: [any VirtualApplication]
    ) -> TestTag {
        TestTag("card") { changed in
            try VirtualApplicationCard(
                identifier: changed ?? identifier.map { Array($0) }, historicalBytes: Array(historicalBytes),
                features: features, applications: applications)
        }
    }

    /// A card with one application without a state, whose commands a function answers.
    ///
    /// ```swift
    /// try await withVirtualTag(.card(aid: "F0010203040506") { command in
    ///     command.instructionCode == 0x50 ? VirtualCardResponse([10]) : .instructionNotSupported
    /// }) { card in … }
    /// ```
    public static func card(aid: String, answer: @escaping @Sendable (VirtualCardCommand) -> VirtualCardResponse)
        -> TestTag
    {
        card(applications: [FunctionApplication(aid: aid, answer: answer)])
    }

    /// A card with one application that gives recorded answers to commands, both in hexadecimal; see `ScriptedApplication`.
    ///
    /// The test fails if the app sends a command that is not in the script.
    ///
    /// - Parameter select: the answer to the SELECT of the application.
    /// - Throws: `CardScriptError` for a text that is not a command or not a response.
    public static func card(
        aid: String, select: String = "9000", script: KeyValuePairs<String, String>
    ) throws -> TestTag {
        card(applications: [try ScriptedApplication(aid: aid, select: select, script: script)])
    }
}

extension TestTag {
    /// A card of ISO/IEC 14443-4 type B, as many identity cards are, with applications of the test's own: `NFCISO7816Tag`
    /// with `applicationData`, and without historical bytes.
    ///
    /// - Parameters:
    ///   - identifier: the PUPI, 4 bytes; nil for a made-up one.
    ///   - applicationData: 4 bytes of the card's answer to request.
    ///   - isProprietary: whether `applicationData` is coded in a proprietary way.
    ///   - features: whether it takes chained and extended commands.
    ///   - applications: in the order in which a partial AID finds them.
    public static func card(
        identifier: Data? = nil, applicationData: Data, isProprietary: Bool = false,
        features: VirtualApplicationCard.Features = .init(), applications: [any VirtualApplication]
    ) -> TestTag {
        TestTag("card") { changed in
            try VirtualTypeBCard(
                identifier: changed ?? identifier.map { Array($0) },
                answerToRequest: VirtualAnswerToRequestB(
                    applicationData: Array(applicationData), isProprietary: isProprietary),
                features: features, applications: applications)
        }
    }
}

extension PresentedTag {
    /// The current state of the first application of this type on a card of the test's own; nil if it has none.
    ///
    /// Applications that are structures are copied: the card does not notice what becomes of the copy.
    public func application<Application: VirtualApplication>(_ type: Application.Type) -> Application? {
        applications.lazy.compactMap { $0 as? Application }.first
    }

    /// The current state of a tag of the test's own, copied; nil if the tag is of another type.
    public func state<Tag: VirtualTag>(of type: Tag.Type) -> Tag? { tag as? Tag }

    private var applications: [any VirtualApplication] {
        (tag as? VirtualApplicationCard ?? (tag as? VirtualTypeBCard)?.card)?.applications ?? []
    }

    /// What to report where the tag got commands that the test did not expect; nil if it did not.
    var objection: String? {
        let objections = tag.objections
        guard !objections.isEmpty else { return nil }
        guard !(tag is RecordedTag) else { return objections.joined(separator: "; ") }
        return "the app sent commands that the card's script does not have: \(objections.joined(separator: ", ")); "
            + "add them to the script, or correct the app"
    }
}
