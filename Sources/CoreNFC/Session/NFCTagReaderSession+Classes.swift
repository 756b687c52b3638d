import Synchronization

/// What a session looks for, as a class: the same as ``NFCTagReaderSession/Configuration``.
open class NFCTagReaderSessionConfiguration: NSObject {
    /// The technologies.
    public var polling: NFCTagReaderSession.PollingOption
    /// Names of applications in hexadecimal.
    public var iso7816SelectIdentifiers: [String]
    /// FeliCa systems, four hexadecimal digits each.
    public var felicaSystemCodes: [String]

    /// All fields.
    public init(
        pollingOption: NFCTagReaderSession.PollingOption, iso7816SelectIdentifiers: [String],
        felicaSystemCodes: [String]
    ) {
        polling = pollingOption
        self.iso7816SelectIdentifiers = iso7816SelectIdentifiers
        self.felicaSystemCodes = felicaSystemCodes
    }

    var configuration: NFCTagReaderSession.Configuration {
        NFCTagReaderSession.Configuration(
            pollingOption: polling, iso7816SelectIdentifiers: iso7816SelectIdentifiers,
            feliCaSystemCodes: felicaSystemCodes)
    }
}

extension NFCTagReaderSession {
    /// The tag that takes commands, in its other form.
    public var __connectedTag: (any __NFCTag)? {
        engine.state.withLock { $0.connected }
    }

    /// Makes a detected tag the one that takes commands.
    @preconcurrency
    public func __connect(to tag: any __NFCTag, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        engine.connect(to: tag as? LiveTag, completionHandler)
    }

    /// Makes a detected tag the one that takes commands.
    public func __connect(to tag: any __NFCTag) async throws {
        try await engine.connect(to: tag as? LiveTag)
    }

    /// Looks for tags anew, this time by another configuration.
    public func restartPolling(with configuration: NFCTagReaderSessionConfiguration) {
        restartPolling(configuration: configuration.configuration)
    }
}
