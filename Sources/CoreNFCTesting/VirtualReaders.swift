public import CoreNFC
import NFCClient
import NFCReaders
import Synchronization
import TagRecordings
import Threading
import VirtualTags

/// Runs a test with virtual readers: within `body`, the CoreNFC sessions of this process find these readers and no others.
///
/// Every test that uses this, or ``withVirtualTag(_:_:)``, has the process for itself: others wait for their turn, also
/// where tests run in parallel; a test's time limit counts while it waits. Sessions
/// that have not ended when `body` returns end with 202.
///
/// - Parameters:
///   - count: how many readers, 0 to 16.
///   - model: the product that they imitate.
///   - body: puts tags on the readers, in the order of ``TestReader/name``.
/// - Throws: ``TestTagError`` within another such test, and what `body` throws.
public func withVirtualReaders<Value>(
    _ count: Int = 1, model: TestReaderModel = .acr1552U, _ body: @concurrent ([TestReader]) async throws -> Value
) async throws -> Value {
    guard (0...16).contains(count) else { throw TestTagError("0 to 16 readers, not \(count)") }
    return try await VirtualReaders.run(count, model, body)
}

/// Runs a test without an nfcd, as on a device without NFC.
///
/// - Throws: as ``withVirtualReaders(_:_:)`` does.
public func withoutNFC<Value>(_ body: @concurrent () async throws -> Value) async throws -> Value {
    try await VirtualReaders.alone(with: MissingDaemon(), readers: 0) { try await body() }
}

/// Runs a test with a virtual tag on the only reader there is, of a model that sees the tag.
///
/// - Throws: as ``withVirtualReaders(_:_:)`` does.
public func withVirtualTag<Value>(
    _ tag: TestTag, _ body: @concurrent (PresentedTag) async throws -> Value
) async throws -> Value {
    try await withVirtualReaders(model: .seeing(tag)) { readers in
        guard let reader = readers.first else { throw TestTagError("no reader exists") }
        return try await body(try reader.present(tag))
    }
}

/// Within ``withVirtualReaders(_:_:)``, uses two files as the program's `Info.plist` and entitlements, to test what an app
/// declares. A file that is nil counts as missing, and nothing is checked against it.
///
/// - Throws: ``TestTagError`` outside of virtual readers, and what `body` throws.
public func withDeclarations<Value>(
    infoPlist: URL? = nil, entitlements: URL? = nil, _ body: @concurrent () async throws -> Value
) async throws -> Value {
    guard VirtualReaders.isWithin else { throw TestTagError("declarations are for use within withVirtualReaders") }
    DeclarationFiles.use(infoPlist: infoPlist, entitlements: entitlements)
    defer { DeclarationFiles.useOwn() }
    return try await body()
}

/// The nfcd of the test that has the process for itself.
enum VirtualReaders {
    /// Lets one test at a time have the process.
    private static let gate = FairGate<Int>()
    @TaskLocal static var isWithin = false
    private static let current = Mutex<TestDaemon?>(nil)

    /// The nfcd whose readers the test has.
    static var daemon: TestDaemon {
        get throws {
            guard let daemon = current.withLock({ $0 }) else {
                throw TestTagError("for use within withVirtualReaders only")
            }
            return daemon
        }
    }

    /// Has the process for itself, and its sessions connect to this nfcd.
    static func alone<Value>(
        with endpoint: any DaemonEndpoint, readers: Int, _ body: () async throws -> Value
    ) async throws -> Value {
        guard !isWithin else { throw TestTagError("virtual readers are there already; ask for more of them at once") }
        return try await gate.run(for: 0) {
            // A test whose time was over before its turn would wait for an nfcd that ends at once.
            try Task.checkCancellation()
            DaemonAddress.standIn = .init(endpoint: endpoint, hasReader: readers > 0)
            defer { DaemonAddress.standIn = nil }
            return try await $isWithin.withValue(true) { try await body() }
        }
    }

    static func run<Value>(
        _ count: Int, _ model: TestReaderModel, _ body: ([TestReader]) async throws -> Value
    ) async throws -> Value {
        let model = try model.model
        let driver = SimulatedDriver(readers: count, model: model)
        let readers = (0..<count).map { TestReader("simulated-\($0)", model, of: driver) }
        let daemon = TestDaemon(simulated: driver)
        return try await alone(with: daemon.endpoint, readers: count) {
            current.withLock { $0 = daemon }
            defer { current.withLock { $0 = nil } }
            return try await daemon.run { try await checked(readers, body) }
        }
    }

    /// Runs a test, and reports commands that no card expected: they explain what else went wrong.
    private static func checked<Value>(
        _ readers: [TestReader], _ body: ([TestReader]) async throws -> Value
    ) async throws -> Value {
        let result: Result<Value, any Error>
        do { result = .success(try await body(readers)) } catch { result = .failure(error) }
        let objections = readers.flatMap(\.objections).joined(separator: "; ")
        guard !objections.isEmpty else { return try result.get() }
        guard case .failure(let error) = result else { throw TestTagError(objections) }
        throw TestTagError("\(objections). After that, the test failed: \(error)")
    }
}

/// A virtual reader.
public final class TestReader: Sendable {
    /// Its name, as `NFCReaderSession.readers` takes it.
    public let name: String
    private let driver: SimulatedDriver
    private let model: VirtualReaderModel
    /// The tags that lay on it.
    private let tags = Mutex<[PresentedTag]>([])

    init(_ name: String, _ model: VirtualReaderModel, of driver: SimulatedDriver) {
        self.name = name
        self.model = model
        self.driver = driver
    }

    /// Puts a tag on the reader.
    ///
    /// - Throws: ``TestTagError`` if there is one on it already, or no such tag.
    @discardableResult
    public func present(_ tag: TestTag) throws -> PresentedTag {
        let made = try tag.made()
        let reader: VirtualReader
        let whole: any VirtualCard
        if let recorded = made as? RecordedTag {
            guard recorded.profile == model.name else {
                throw TestTagError(
                    "\(tag.model) was recorded on a reader of the family \(recorded.profile), not \(model.name)")
            }
            (reader, whole) = (VirtualReader(tag: recorded), recorded.inReader())
        } else {
            guard let card = model.card(made) as? VirtualReader else {
                throw TestTagError("\(tag.model): a reader of model \(model.name) does not see such a tag")
            }
            (reader, whole) = (card, card)
        }
        let card: any VirtualCard = tag.faults == .none ? whole : FaultInjectingCard(whole, plan: tag.faults)
        do throws(SimulatorError) {
            let tag = PresentedTag(reader, try driver.present(card, on: name), on: driver)
            tags.withLock { $0.append(tag) }
            return tag
        } catch {
            throw TestTagError("\(error)")
        }
    }

    /// Unplugs the reader, and the tag on it is gone. Sessions that have no other reader end with 202.
    public func unplug() {
        driver.unplug(ReaderID(rawValue: name))
    }

    /// Plugs the reader in again.
    public func plugIn() {
        driver.plugIn(ReaderID(rawValue: name))
    }

    /// Has another program hold the reader while a test does something: sessions that begin in the meantime end with 203.
    ///
    /// - Throws: ``TestTagError`` where a session holds the reader already, or it is unplugged; and what the body throws.
    public func whileHeldByAnotherProgram<Value>(
        _ body: @concurrent () async throws -> Value
    ) async throws -> Value {
        try await OtherProgram().hold(name, of: VirtualReaders.daemon.coordinator, body)
    }

    /// What cards and tags did not expect.
    fileprivate var objections: [String] { tags.withLock { $0 }.compactMap(\.objection) }

    /// Removes the tag from the reader.
    public func remove() {
        for presentation in driver.presentations where presentation.reader.rawValue == name {
            driver.remove(presentation)
        }
    }
}
