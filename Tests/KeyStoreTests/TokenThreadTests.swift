import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import KeyStore

/// Calls to a token that is slow, or does not answer.
@Suite(.timeLimit(.minutes(2)))
struct TokenThreadTests {
    /// A call that its library answers when it is released.
    private final class SlowCall: Sendable {
        private let (starts, start) = AsyncStream<Void>.makeStream()
        private let exit = DispatchSemaphore(value: 0)

        /// What the thread of the token runs.
        func answer() -> Int {
            start.yield()
            exit.wait()
            return 7
        }

        func started() async { for await _ in starts { return } }

        func release() { exit.signal() }
    }

    /// Whether a call was made.
    private final class Mark: Sendable {
        private let isSet = Mutex(false)
        var isMade: Bool { isSet.withLock { $0 } }
        func make() { isSet.withLock { $0 = true } }
    }

    /// Does one thing at a time.
    private actor Desk {
        func derive(_ thread: TokenThread, _ call: SlowCall) async -> Result<Int, TokenError> {
            await TokenThreadTests.result(of: thread, within: .seconds(2)) { call.answer() }
        }

        func release(_ call: SlowCall) { call.release() }
    }

    private static func result(
        of thread: TokenThread, within limit: Duration, _ body: @escaping @Sendable () throws(TokenError) -> Int
    ) async -> Result<Int, TokenError> {
        do throws(TokenError) { return .success(try await thread.run(within: limit, body)) } catch {
            return .failure(error)
        }
    }

    private static let limit = Duration.seconds(5)
    private static let hour = Duration.seconds(3600)

    private let clock = TestClock()
    private let thread: TokenThread
    private let call = SlowCall()

    init() { thread = TokenThread(clock: clock) }

    /// Waits until the library has answered what was late.
    private func answersAgain() async -> Bool {
        while true {
            let result = await Self.result(of: thread, within: Self.hour) { 9 }
            guard result == .failure(.silence) else { return result == .success(9) }
            await Task.yield()
        }
    }

    @Test func `an actor does other work while its call is out`() async {
        let (desk, call) = (Desk(), call)
        async let derived = desk.derive(thread, call)
        await call.started()
        // Done by the actor itself, which a call that holds it would not let.
        await desk.release(call)
        #expect(await derived == .success(7))
    }

    @Test func `as many calls as there are wait at a time, and no thread waits with them`() async {
        let (thread, call) = (thread, call)
        await withTaskGroup(of: Result<Int, TokenError>.self) { group in
            group.addTask { await Self.result(of: thread, within: Self.hour) { call.answer() } }
            await call.started()
            for number in 0..<256 {
                group.addTask { await Self.result(of: thread, within: Self.hour) { number } }
            }
            group.addTask {
                call.release()
                return .success(0)
            }
            for await result in group { #expect((try? result.get()) != nil) }
        }
    }

    @Test func `the limit ends the wait, and others are refused until the library answers`() async {
        let (thread, call) = (thread, call)
        async let first = Self.result(of: thread, within: Self.limit) { call.answer() }
        await call.started()
        await clock.sleeping(for: Self.limit)
        clock.advance(by: Self.limit)
        #expect(await first == .failure(.silence))
        #expect(await Self.result(of: thread, within: Self.hour) { 8 } == .failure(.silence))
        #expect(clock.remaining == [])
        call.release()
        #expect(await answersAgain())
    }

    @Test func `a call that has not begun within its limit is not made`() async {
        let (thread, call) = (thread, call)
        let mark = Mark()
        async let first = Self.result(of: thread, within: Self.hour) { call.answer() }
        await call.started()
        async let second = Self.result(of: thread, within: Self.limit) {
            mark.make()
            return 8
        }
        await clock.sleeping(for: Self.limit)
        clock.advance(by: Self.limit)
        #expect(await second == .failure(.silence))
        #expect(await Self.result(of: thread, within: Self.hour) { 8 } == .failure(.silence))
        call.release()
        // Its own limit has not passed.
        #expect(await first == .success(7))
        #expect(await answersAgain())
        #expect(!mark.isMade)
    }

    @Test func `a caller that is cancelled returns, and others are not refused for it`() async {
        let (thread, call) = (thread, call)
        let first = Task { await Self.result(of: thread, within: Self.limit) { call.answer() } }
        await call.started()
        first.cancel()
        #expect(await first.value == .failure(.cancellation))
        async let second = Self.result(of: thread, within: Self.hour) { 8 }
        await clock.sleeping(for: Self.hour)
        call.release()
        #expect(await second == .success(8))
    }

    @Test func `a call of a cancelled task is not made`() async {
        let thread = thread
        let mark = Mark()
        await withTaskGroup(of: Void.self) { group in
            group.cancelAll()
            group.addTask {
                let result = await Self.result(of: thread, within: Self.hour) {
                    mark.make()
                    return 7
                }
                #expect(result == .failure(.cancellation))
            }
        }
        #expect(await answersAgain())
        #expect(!mark.isMade && clock.remaining == [])
    }

    @Test func `errors of a call reach its caller`() async {
        let error = TokenError("x", code: 5)
        let result = await Self.result(of: thread, within: Self.hour) { () throws(TokenError) in throw error }
        #expect(result == .failure(error))
    }
}
