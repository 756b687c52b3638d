import NFCReaders
import NFCTags

/// A driver whose exchanges are measured.
struct MeasuredDriver: ReaderDriver {
    let driver: any ReaderDriver
    let clock: any Clock<Duration>
    let metrics: Metrics

    func run(report: @escaping @Sendable (ReaderEvent) -> Void) async { await driver.run(report: report) }

    func refresh() async { await driver.refresh() }

    func connect(to reader: ReaderID) async throws(CardChannelError) -> any CardConnection {
        measured(try await driver.connect(to: reader), clock)
    }

    func learn(_ profile: ReaderProfile, of reader: ReaderID) { driver.learn(profile, of: reader) }

    func escape(_ command: [UInt8], to reader: ReaderID) async { await driver.escape(command, to: reader) }

    private func measured(_ connection: any CardConnection, _ clock: some Clock<Duration>) -> any CardConnection {
        MeasuredConnection(connection: connection, clock: clock, metrics: metrics)
    }
}

/// A connection that tells how long each exchange takes.
struct MeasuredConnection<C: Clock<Duration>>: CardConnection {
    let connection: any CardConnection
    let clock: C
    let metrics: Metrics

    var answerToReset: [UInt8] { connection.answerToReset }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        let start = clock.now
        do throws(CardChannelError) {
            let response = try await connection.transmit(command)
            metrics.countExchange(start.duration(to: clock.now), isAnswered: true)
            return response
        } catch {
            metrics.countExchange(start.duration(to: clock.now), isAnswered: false)
            throw error
        }
    }

    func reconnect() async throws(CardChannelError) { try await connection.reconnect() }

    func limited(to limit: Duration) -> any CardConnection {
        MeasuredConnection(connection: connection.limited(to: limit), clock: clock, metrics: metrics)
    }

    func close() async { await connection.close() }
}
