import NFCSessions
import NFCTypes
import SecureTags
import Synchronization
import TagProofs
import Testing
import VirtualTags

/// Tags whose keys are in a token that does not answer, from the beginning or later.
@Suite struct SilentTokenTests {
    /// A token that answers some calls, and then none.
    private final class Token: Sendable {
        private struct Key: MasterKey {
            let key: TagKey
            let token: Token
            let isPublished = false

            func derived(from input: [UInt8], padding: KeyDiversification.Padding) async throws -> TagKey {
                try token.answer()
                return try key.derived(from: input, padding: padding)
            }

            /// What all tags share is in the file.
            func shared() throws -> TagKey { key }
        }

        private let answers: Mutex<Int>

        init(answers: Int) { self.answers = Mutex(answers) }

        private func answer() throws {
            let isAnswered = answers.withLock { answers in
                answers -= 1
                return answers >= 0
            }
            guard isAnswered else { throw UnavailableKey("the token does not answer") }
        }

        /// The keys of the site, in the token.
        var ring: KeyRing {
            KeyRing(
                Site.ring.entries.map { entry in
                    let key = (try? entry.master.shared()) ?? Site.door
                    return .init(
                        name: entry.name, version: entry.version, state: entry.state,
                        master: Key(key: key, token: self))
                })
        }
    }

    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bench: @Sendable () throws -> any SettingUp
    }

    static let kinds = [
        Kind(testDescription: "a challenge of an NTAG 424") { try SetUpBench(SetUpBench.challenge) },
        Kind(testDescription: "a message of an NTAG 424") { try SetUpBench() },
        Kind(testDescription: "a DESFire") { try DESFireBench() },
        Kind(testDescription: "a DESFire with messages of EV1") { try DESFireBench(DESFireBench.kinds[0]) },
        Kind(testDescription: "an Ultralight AES") { try UltralightBench() },
    ]

    @Test(arguments: kinds) func `a tap is incomplete, and later proven`(kind: Kind) async throws {
        let bench = try kind.bench()
        #expect(await bench.run(.setUp).error == nil)
        var profile = bench.profile
        // Its attempts are counted.
        if profile.product == .ultralightAES { profile.uriHost = "ex.am" }
        let silent = try await Site(profile, ring: Token(answers: 0).ring).tap(bench.reader, on: bench.family)
        let proof = try #require(silent.attempt?.proof)
        #expect(proof.status == .incomplete && !proof.isProven && proof.scope == nil, "\(proof)")
        #expect(proof.reason == "the key could not be derived: the token does not answer")
        #expect(silent.attempt?.claim == nil)
        bench.reader.powerOff()
        let answered = try await Site(profile, ring: Token(answers: 8).ring).tap(bench.reader, on: bench.family)
        #expect(answered.status != .incomplete, "\(String(describing: answered.attempt))")
    }

    @Test(arguments: kinds) func `nothing is begun with a token that does not answer`(kind: Kind) async throws {
        var bench = try kind.bench()
        bench.ring = Token(answers: 0).ring
        let error = try #require(await bench.run(.setUp).error)
        #expect(error.reason == .keyUnavailable && error.state == .unchanged, "\(error)")
        #expect("\(error)".hasSuffix("The tag is as it was. Try again when the token answers."), "\(error)")
        #expect(bench.records.all.isEmpty)
    }

    @Test(arguments: kinds, [SetUpTask.setUp, .reset])
    func `wherever it stops answering, the task is finished later`(kind: Kind, task: SetUpTask) async throws {
        var answers = 0
        while true {
            var bench = try kind.bench()
            if task == .reset { #expect(await bench.run(.setUp).error == nil) }
            bench.ring = Token(answers: answers).ring
            guard let error = await bench.run(task).error else { break }
            #expect(error.reason == .keyUnavailable, "\(answers) answers: \(error)")
            #expect(error.state != .unchanged || bench.hasOnlyDoneRecords, "\(answers) answers")
            bench.ring = Site.ring
            let end = await bench.run(task)
            #expect(end.error == nil, "\(answers) answers: \(String(describing: end.error))")
            answers += 1
        }
        #expect(answers > 1)
    }
}
