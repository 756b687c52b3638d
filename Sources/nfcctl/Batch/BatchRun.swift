import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol
import NFCTags
import NFCTypes

/// Writes the rows of a batch to one tag after another, over any number of sessions and connections.
///
/// A session lasts a minute and a batch longer: when one ends, the next begins.
struct BatchRun: Sendable {
    /// What is done with each tag.
    struct Settings: Sendable {
        /// What happens to a tag without NDEF.
        var preparation = TagPreparation()
        var lock = false
        /// The profile of which each tag becomes one.
        var setUp: BatchSetUp?
        /// How the message of a row follows from the tag.
        var layout: (any BatchLayout)?
        /// Whether the rows have messages.
        var writesMessages = true
        /// The password that each tag gets.
        var newPassword: HexBytes?
        /// Whether each row has its own password.
        var hasRowPasswords = false
        /// Whether a tag with a message is left unchanged.
        var onlyEmpty = false
        /// The passwords that the tags have.
        var passwords = TagPasswords()
        var json = false

        /// Whether tags get a password.
        var setsPassword: Bool { newPassword != nil || hasRowPasswords }

        /// What nfcd requires for that.
        var requirements: [Requirement] {
            (writesMessages ? [TagWriteNDEF.requirement, TagReadNDEF.requirement] : [])
                + (setUp == nil ? [] : [TagPersonalise.requirement])
                + (preparation.formats ? [TagFormat.requirement] : []) + (lock ? [TagWriteLock.requirement] : [])
                + (setsPassword ? [TagSetPassword.requirement] : [])
        }
    }

    /// How a session ended.
    private enum End {
        case complete, stopped
        /// The next session may continue.
        case interrupted
        case cancelled(SessionEnd)
    }

    private let settings: Settings
    private let options: SessionOptions
    private let report: BatchReport?
    private let output: BatchOutput
    private var plan: BatchPlan
    /// Whether the last session ended because its readers were gone.
    private var isWithoutReader = false
    /// The readers that cannot send a password, if others can.
    private var unableReaders: Set<String> = []

    /// - Parameters:
    ///   - report: where the written tags are added; its entries are rows of the plan that are written already.
    ///   - original: the UID of the tag that must keep its message.
    /// - Throws: `ExitCode`, after printing that the report is of another batch.
    init(
        rows: [BatchRow], original: [UInt8]? = nil, settings: Settings, options: SessionOptions, report: BatchReport?
    ) throws {
        (self.settings, self.options, self.report) = (settings, options, report)
        output = BatchOutput(json: settings.json, total: rows.count, setsUp: settings.setUp != nil)
        plan = BatchPlan(rows, original: original)
        let first = rows.first?.number ?? 0
        for entry in report?.entries ?? [] {
            let row = BatchRow(number: entry.number, bytes: settings.key(of: entry.message) ?? [])
            guard rows.indices.contains(entry.number - first), rows[entry.number - first] == row else {
                Terminal.error(
                    "nfcctl: the report is of another batch: its number \(entry.number) is not a row of this one. Choose another file with --report."
                )
                throw ExitCode.badData
            }
            plan.succeeded(row, on: entry.tag)
        }
    }

    /// Writes all rows that are not written yet.
    ///
    /// - Throws: `ExitCode`, after printing the reason: 130 after Ctrl-C, 75 if the session was cancelled.
    func run() async throws {
        if plan.writtenCount > 0 { output.resumed(plan) }
        let stop = StopRequest()
        let (end, plan) = try await Interruption().handling(with: stop.request) { [self] in
            var run = self
            return try await run.options.connection.reportingErrors { (try await run.connections(stop), run.plan) }
        }
        switch end {
        case .complete: output.complete(plan)
        case .cancelled(let end):
            output.cancelled(end, plan)
            throw ExitCode.temporary
        case .stopped, .interrupted:
            output.stopped(plan)
            throw ExitCode.interrupted
        }
    }

    // MARK: Sessions

    private mutating func connections(_ stop: StopRequest) async throws -> End {
        var reconnection = Reconnection()
        var isFirst = true
        while !plan.isComplete {
            do {
                return try await NFCClient.answering(at: options.connection.path) { client in
                    let info = try await client.call(ServerInfo.self)
                    if let refusal = try await info.entitlements.refusal(of: settings.requirements, by: client) {
                        throw refusal
                    }
                    if settings.setsPassword {
                        let readers = try await client.call(ReadersList.self)
                        if isFirst { try PasswordReaders.check(readers, options) }
                        // A reader of unknown make may still turn out to be able.
                        unableReaders = Set(
                            readers.filter { !PasswordReaders.isAble($0) && $0.profile != ReaderProfile.generic.slug }
                                .map(\.reader))
                    }
                    if reconnection.isNeeded { Terminal.error("nfcctl: connected again") }
                    reconnection.succeeded()
                    return try await sessions(client, stop, &isFirst)
                }
            } catch let error as NFCClientError {
                // A daemon that does not run at first may never run; one that ran comes back.
                if isFirst { throw error }
                var attempts = reconnection
                attempts =
                    try await stop.unlessRequested { [attempts] in
                        var next = attempts
                        try await next.pause(after: error)
                        return next
                    } ?? attempts
                if stop.isRequested { return .stopped }
                reconnection = attempts
            }
        }
        return .complete
    }

    private mutating func sessions(_ client: NFCClient, _ stop: StopRequest, _ isFirst: inout Bool) async throws -> End
    {
        while true {
            let session = try await client.beginSession(parameters(isFirst: isFirst))
            let end: End
            do {
                end = try await tags(session, stop, isFirst: &isFirst)
            } catch {
                try? await session.invalidate()
                throw error
            }
            try await session.invalidate()
            guard case .interrupted = end else { return end }
        }
    }

    /// The first session fails where a single operation would fail; the next ones wait for the reader.
    private func parameters(isFirst: Bool) -> SessionBegin.Parameters {
        var parameters = options.parameters(.ndef, detection: .tags)
        if !isFirst { (parameters.whenBusy, parameters.waitForReader) = (.queue, true) }
        return parameters
    }

    /// Writes tags until the session ends or nothing is left.
    private mutating func tags(_ session: ReaderSession, _ stop: StopRequest, isFirst: inout Bool) async throws -> End {
        while true {
            let events = session.events
            let event = try await stop.unlessRequested { await events.makeAsyncIterator().next() } ?? nil
            guard !stop.isRequested else { return .stopped }
            switch event {
            case .didBecomeActive:
                if isWithoutReader { Terminal.error("The reader is back. Hold the next tag to it.") }
                isWithoutReader = false
                if isFirst { output.began() }
                isFirst = false
                output.waiting(plan)
            case .didDetectTags(let tags):
                for tag in tags {
                    try await ConnectionWatch.shared.changingTag { try await use(tag) }
                    if plan.isComplete { return .complete }
                    if stop.isRequested { return .stopped }
                }
                output.waiting(plan)
            case .tagFailed(let failure): failure.report()
            case .didDetectNDEFs, .tagRemoved, .tagIgnored: break
            case .didInvalidate(let end):
                switch end.code {
                case .sessionTimeout: return .interrupted
                case .sessionTerminatedUnexpectedly where !isFirst:
                    isWithoutReader = true
                    output.lostReader(end, plan)
                    return .interrupted
                case .userCanceled: return .cancelled(end)
                default: throw NFCClientError.sessionEnded(end)
                }
            case nil: throw NFCClientError.connectionLost
            }
        }
    }

    // MARK: A tag

    private mutating func use(_ tag: RemoteTag) async throws {
        let verdict = plan.verdict(on: tag.identifier)
        guard verdict == .usable else {
            // After a session that timed out, the last tag may still lie there.
            if tag.facts.wasPresent != true { output.skipped(tag, verdict) }
            return
        }
        var row: BatchRow?
        var holdsRow = false
        do {
            try await tag.connect()
            if settings.setsPassword, unableReaders.contains(tag.facts.reader) { return output.cannotSetPassword(tag) }
            try await settings.passwords.give(to: tag)
            let standing = try await settings.setUp?.query(tag)
            if let refusal = standing.flatMap(BatchSetUp.Refusal.init) { return output.cannotSetUp(tag, refusal) }
            let isEmpty = settings.onlyEmpty ? try await tag.isEmpty() : true
            if isEmpty { try await tag.prepare(settings.preparation) }
            let content = settings.writesMessages ? try await tag.encodedMessage() : nil
            let key = settings.key(of: content)
            if !isEmpty, key == nil || plan.row(for: tag.identifier, holding: key)?.bytes != key,
                !plan.isReserved(for: tag.identifier)
            {
                return output.notEmpty(tag)
            }
            guard let line = plan.row(for: tag.identifier, holding: key) else {
                return output.reserved(tag, plan)
            }
            row = line
            let message: NDEFMessage
            switch try await settings.message(of: line, on: tag, holding: content, key: key) {
            case .message(let found): message = found
            case .refused(let reason): return output.cannotHold(tag, line, reason)
            case .notFormatted(let advice): return output.notFormatted(tag, line, advice)
            }
            if settings.writesMessages, key != line.bytes {
                let overwrite = settings.preparation.overwrites ? true : nil
                try await tag.showingProgress("Writing") {
                    try await tag.writeNDEF(message, verify: true, overwrite: overwrite, progress: $0)
                }
            }
            holdsRow = settings.writesMessages
            let replaced = key == line.bytes ? nil : content?.spoolWords
            try await finish(tag, line, message, from: standing?.state, replaced: replaced)
        } catch let error as NFCClientError {
            if let row {
                let holds = if holdsRow { true } else { await mayHold(tag, error) }
                if holds { plan.reserve(row, for: tag.identifier) }
            }
            // Without a code it is the connection that failed, and the next one continues. A grant or a profile that is missing is
            // missing for every tag.
            guard let code = error.nfcCode, code != .securityViolation, !error.isAboutProfiles else { throw error }
            let advice = code == .unsupportedFeature ? try? await tag.formatAdvice() : nil
            output.failed(tag, error, row: row, plan, advice: advice)
        }
    }

    /// Whether a tag may hold its row although the operation failed.
    private func mayHold(_ tag: RemoteTag, _ error: NFCClientError) async -> Bool {
        guard let setUp = settings.setUp, !settings.writesMessages else { return error.mayHaveWritten }
        return await setUp.isUnfinished(tag, after: error)
    }

    /// Protects a tag that holds its row, and adds it to the report.
    ///
    /// - Parameters:
    ///   - state: how far the tag was one of the profile before.
    ///   - replaced: the spool that the message replaced, in words.
    private mutating func finish(
        _ tag: RemoteTag, _ row: BatchRow, _ message: NDEFMessage, from state: PersonalisationState?, replaced: String?
    ) async throws {
        let made = try await settings.setUp?.run(on: tag, from: state ?? .delivered)
        if let password = row.password ?? settings.newPassword { try await tag.protect(with: password) }
        if settings.lock, try await tag.queryNDEFStatus().status != .readOnly { try await tag.writeLock() }
        var line = row
        line.columns.merge(made?.columns ?? [:]) { $1 }
        try report?.add(line, message: message, tag: tag.facts.identifier, reader: tag.facts.readerName)
        plan.succeeded(row, on: tag.identifier)
        output.written(tag, row, message, settings, made, plan, replaced: replaced)
    }
}

extension RemoteTag {
    /// Sets a password, unless the tag has just this one from the run before.
    fileprivate func protect(with password: HexBytes) async throws {
        do {
            try await setPassword(password.bytes)
        } catch let error as NFCClientError where error.nfcCode == .tagNotWritable {
            guard (try? await authenticate(password.bytes)) != nil else { throw error }
        }
    }

    /// Whether the tag holds neither a message nor other data.
    fileprivate func isEmpty() async throws -> Bool {
        do {
            return try await readNDEF().message.records.allSatisfy { $0.typeNameFormat == .empty }
        } catch let error as NFCClientError where error.nfcCode == .zeroLengthMessage {
            return try await queryNDEFStatus(content: true).content == nil
        } catch let error as NFCClientError where error.nfcCode == .unsupportedFeature {
            let status = try await queryNDEFStatus()
            return status.status == .notSupported && status.overwrites == nil
        } catch let error as NFCClientError where error.nfcCode == .tagUpdateFailure {
            return false
        } catch is NDEFError {
            return false
        }
    }

    /// The message on the tag; nil if it has none or one that cannot be decoded.
    func encodedMessage() async throws -> [UInt8]? {
        do {
            return try await readNDEF().message.encoded()
        } catch let error as NFCClientError where Self.codesWithoutMessage.contains(error.nfcCode) {
            return nil
        } catch is NDEFError {
            return nil
        }
    }

    private static let codesWithoutMessage: [NFCErrorCode?] = [
        .unsupportedFeature, .zeroLengthMessage, .tagUpdateFailure,
    ]
}

extension [UInt8] {
    /// What makes an encoded message one of a spool, in words; nil if it is not.
    fileprivate var spoolWords: String? {
        (try? NDEFMessage(decoding: self))?.records.lazy.compactMap(\.spoolWords).first
    }
}

extension NFCClientError {
    /// Whether the tag may hold the message although writing it failed.
    fileprivate var mayHaveWritten: Bool {
        switch nfcCode {
        case .securityViolation, .unsupportedFeature, .tagNotWritable, .tagSizeTooSmall, .tagNotConnected: false
        default: true
        }
    }
}
