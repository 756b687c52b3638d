public import Foundation
import NFCProtocol
import Synchronization

/// A session for tags and their own commands.
///
/// Tags that are found together are delivered together. After that nothing more is delivered until ``restartPolling()``, as on an
/// iPhone, also where the tag leaves and another one comes.
open class NFCTagReaderSession: NFCReaderSession, @unchecked Sendable {
    /// The technologies that tags are looked for in.
    public struct PollingOption: OptionSet, Sendable {
        /// One bit for each option.
        public let rawValue: Int

        /// Options by their bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// ISO/IEC 14443 types A and B: ISO/IEC 7816 cards and MIFARE.
        public static let iso14443 = PollingOption(rawValue: 1)
        /// ISO/IEC 15693.
        public static let iso15693 = PollingOption(rawValue: 2)
        /// FeliCa.
        public static let iso18092 = PollingOption(rawValue: 4)
        /// Cards that speak PACE. Adds to the other options.
        public static let pace = PollingOption(rawValue: 8)
    }

    /// What a session looks for.
    public struct Configuration: Sendable {
        /// The technologies.
        public var pollingOption: PollingOption
        /// Names of applications in hexadecimal, of those that the program declares; empty for all of those.
        public var iso7816SelectIdentifiers: [String]
        /// FeliCa systems, four hexadecimal digits each, of those that the program declares; empty for all of those.
        public var feliCaSystemCodes: [String]

        /// All fields.
        public init(
            pollingOption: PollingOption, iso7816SelectIdentifiers: [String] = [], feliCaSystemCodes: [String] = []
        ) {
            self.pollingOption = pollingOption
            self.iso7816SelectIdentifiers = iso7816SelectIdentifiers
            self.feliCaSystemCodes = feliCaSystemCodes
        }
    }

    private weak var tagDelegate: (any NFCTagReaderSessionDelegate)?
    /// The delegate as Objective-C declares it. A session has one or the other.
    private weak var classDelegate: (any __NFCTagReaderSessionDelegate)?
    private let configuration: Configuration

    /// A session that has not begun.
    ///
    /// - Parameters:
    ///   - pollingOption: what to look for; nil is returned where it is empty.
    ///   - delegate: held weakly.
    ///   - queue: where callbacks run; nil for a private serial queue.
    public init?(
        pollingOption: PollingOption, delegate: any NFCTagReaderSessionDelegate, queue: DispatchQueue? = nil
    ) {
        guard !pollingOption.isEmpty else { return nil }
        configuration = Configuration(pollingOption: pollingOption)
        tagDelegate = delegate
        super.init(delegate: delegate, queue: queue)
    }

    /// A session that has not begun, with the delegate as Objective-C declares it. On an iPhone it is behind the one above.
    ///
    /// - Parameters:
    ///   - pollingOption: what to look for; nil is returned where it is empty.
    ///   - delegate: held weakly.
    ///   - queue: where callbacks run; nil for a private serial queue.
    public init?(
        __pollingOption pollingOption: PollingOption, delegate: any __NFCTagReaderSessionDelegate,
        queue: DispatchQueue?
    ) {
        guard !pollingOption.isEmpty else { return nil }
        configuration = Configuration(pollingOption: pollingOption)
        classDelegate = delegate
        super.init(delegate: delegate, queue: queue)
    }

    /// A session that has not begun. A configuration that polls for nothing ends it with code 3 when it begins.
    public init(
        configuration: Configuration, delegate: any NFCTagReaderSessionDelegate, queue: DispatchQueue? = nil
    ) {
        self.configuration = configuration
        tagDelegate = delegate
        super.init(delegate: delegate, queue: queue)
    }

    /// The tag that takes commands.
    open var connectedTag: NFCTag? {
        engine.connectedTag.flatMap { $0.asNFCTag }
    }

    /// Restarts polling; tags delivered before become invalid, also those in the field. Has no effect on a
    /// session that is not active.
    open func restartPolling() {
        restart(configuration)
    }

    /// Restarts polling with another configuration.
    open func restartPolling(configuration: Configuration) {
        restart(configuration)
    }

    /// Makes a detected tag the one that takes commands, instead of another.
    @preconcurrency
    open func connect(to tag: NFCTag, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        engine.connect(to: LiveTag.of(tag), completionHandler)
    }

    /// Makes a detected tag the one that takes commands, instead of another.
    open func connect(to tag: NFCTag) async throws {
        let live = LiveTag.of(tag)
        try await engine.connect(to: live)
    }

    override func makeRequest() throws -> SessionParameters {
        let polling = try ProgramDeclarations.current.polling(by: configuration)
        return SessionParameters(
            kind: .tag, pollingOption: polling.options, iso7816SelectIdentifiers: polling.selectIdentifiers,
            feliCaSystemCodes: polling.systemCodes
        ).with(wishes)
    }

    private func restart(_ configuration: Configuration) {
        do {
            engine.restartPolling(try ProgramDeclarations.current.polling(by: configuration))
        } catch {
            engine.requestEnd(NFCReaderError(start: error))
        }
    }

    override func isDelegate(_ object: Any) -> Bool {
        object is any NFCTagReaderSessionDelegate || object is any __NFCTagReaderSessionDelegate
    }

    override func becameActive() {
        tagDelegate?.tagReaderSessionDidBecomeActive(self)
        classDelegate?.tagReaderSessionDidBecomeActive(self)
    }

    override func detected(_ tags: [LiveTag]) {
        let known = tags.filter { $0.asNFCTag != nil }
        guard engine.takeDetection(of: tags), !known.isEmpty else { return }
        tagDelegate?.tagReaderSession(self, didDetect: known.compactMap { $0.asNFCTag })
        classDelegate?.tagReaderSession(self, didDetect: known)
    }

    override func ended(_ error: NFCReaderError) {
        tagDelegate?.tagReaderSession(self, didInvalidateWithError: error)
        classDelegate?.tagReaderSession(self, didInvalidateWithError: error)
    }
}

/// The callbacks of an ``NFCTagReaderSession``.
public protocol NFCTagReaderSessionDelegate: NSObjectProtocol {
    /// The reader has begun to poll.
    func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession)
    /// The session is over; nothing follows.
    func tagReaderSession(_ session: NFCTagReaderSession, didInvalidateWithError error: any Error)
    /// Tags were found.
    func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag])
}

/// The delegate as Objective-C declares it. Swift code uses ``NFCTagReaderSessionDelegate``.
public protocol __NFCTagReaderSessionDelegate: NSObjectProtocol {
    /// The session is over; nothing follows.
    func tagReaderSession(_ session: NFCTagReaderSession, didInvalidateWithError error: any Error)
    /// The reader has begun to poll. Need not be implemented.
    func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession)
    /// Tags were found. Need not be implemented.
    func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [any __NFCTag])
}

extension __NFCTagReaderSessionDelegate {
    /// Does nothing.
    public func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) {}
    /// Does nothing.
    public func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [any __NFCTag]) {}
}

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
        engine.connectedTag
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

    /// Restarts polling with another configuration.
    public func restartPolling(with configuration: NFCTagReaderSessionConfiguration) {
        restartPolling(configuration: configuration.configuration)
    }
}
