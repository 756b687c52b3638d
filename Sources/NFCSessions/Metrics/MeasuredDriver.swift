import NFCReaders
import NFCTags

/// A driver whose exchanges are measured.
struct MeasuredDriver: ReaderDriver {
    let driver: any ReaderDriver
    let clock: Stopwatch
    let metrics: Metrics

    func run(report: @escaping @Sendable (ReaderEvent) -> Void) async { await driver.run(report: report) }

    func refresh() async { await driver.refresh() }

    func connect(to reader: ReaderID) async throws(CardChannelError) -> any CardConnection {
        MeasuredConnection(connection: try await driver.connect(to: reader), clock: clock, metrics: metrics)
    }

    func learn(_ profile: ReaderProfile, of reader: ReaderID) { driver.learn(profile, of: reader) }

    func escape(_ command: [UInt8], to reader: ReaderID) async { await driver.escape(command, to: reader) }

    var hungReaders: [ReaderID] { driver.hungReaders }
}

/// A connection that tells how long each exchange takes.
struct MeasuredConnection: CardConnection {
    let connection: any CardConnection
    let clock: Stopwatch
    let metrics: Metrics

    var answerToReset: [UInt8] { connection.answerToReset }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        let start = clock.elapsed
        do throws(CardChannelError) {
            let response = try await connection.transmit(command)
            metrics.countExchange(clock.elapsed - start, isAnswered: true)
            return response
        } catch {
            metrics.countExchange(clock.elapsed - start, isAnswered: false)
            throw error
        }
    }

    func reconnect() async throws(CardChannelError) { try await connection.reconnect() }

    func limited(to limit: Duration) -> any CardConnection {
        MeasuredConnection(connection: connection.limited(to: limit), clock: clock, metrics: metrics)
    }

    func close() async { await connection.close() }
}
