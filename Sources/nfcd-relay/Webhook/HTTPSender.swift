import CCurl
import ServiceSupport
import Synchronization
import Threading

/// Sends requests with libcurl, each sender on a thread and with connections that no other one uses.
///
/// The thread exists as long as the sender, and sleeps while nothing is under way; libcurl keeps the connections meanwhile, and checks
/// them before it uses them again.
final class HTTPSender: Sendable {
    typealias Completion = @Sendable (HTTPTransfer.Outcome) -> Void

    private struct State {
        /// Requests that the thread has not seen yet.
        var new: [(id: Int, request: HTTPRequest, completion: Completion)] = []
        /// Those whose task was cancelled.
        var cancelled: Set<Int> = []
        var lastID = 0
        var isWorking = false
    }

    /// What the thread alone uses.
    private final class Work {
        var transfers: [Int: (transfer: HTTPTransfer, completion: Completion)] = [:]
    }

    /// libcurl's own initialisation, once in a process.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    /// To one receiver at a time; further requests wait.
    private static let mostConnections = 8
    /// libcurl asks for its own times; this is the longest wait without one.
    private static let longestWait = Duration.seconds(60)

    private let time: ServiceTime
    private let executor = ThreadExecutor()
    private let state = Mutex(State())
    nonisolated(unsafe) private let multi: UnsafeMutableRawPointer?
    nonisolated(unsafe) private let work = Work()

    init(_ time: ServiceTime) {
        self.time = time
        multi = Self.isReady ? curl_multi_init() : nil
        if let multi { ccurl_set_multi(multi, CURLMOPT_MAX_HOST_CONNECTIONS, Self.mostConnections) }
    }

    deinit {
        // No request is under way: each keeps the sender.
        curl_multi_cleanup(multi)
    }

    /// Sends a request, and returns the answer as soon as its status and the beginning of its body are known.
    func send(_ request: HTTPRequest) async -> HTTPTransfer.Outcome {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        defer { state.withLock { _ = $0.cancelled.remove(id) } }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let begins = state.withLock { state in
                    state.new.append((id, request, { continuation.resume(returning: $0) }))
                    defer { state.isWorking = true }
                    return !state.isWorking
                }
                if begins { executor.run { self.run() } } else { wakeUp() }
            }
        } onCancel: {
            state.withLock { _ = $0.cancelled.insert(id) }
            wakeUp()
        }
    }

    private func wakeUp() {
        if let multi { curl_multi_wakeup(multi) }
    }

    // MARK: On the thread

    /// Works until nothing is under way.
    private func run() {
        repeat {
            begin()
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            collect()
            giveUp()
            guard !work.transfers.isEmpty else { continue }
            curl_multi_poll(multi, nil, 0, Int32(clamping: Int64(wait / .milliseconds(1)) + 1), nil)
        } while !isDone()
    }

    private func isDone() -> Bool {
        state.withLock { state in
            guard state.new.isEmpty, work.transfers.isEmpty else { return false }
            state.isWorking = false
            return true
        }
    }

    private func begin() {
        let new = state.withLock { state in
            defer { state.new = [] }
            return state.new
        }
        for (id, request, completion) in new {
            do throws(HTTPFailure) {
                let transfer = try HTTPTransfer(request, time)
                guard curl_multi_add_handle(multi, transfer.handle) == CURLM_OK else {
                    throw .other("libcurl takes no further request")
                }
                work.transfers[id] = (transfer, completion)
            } catch {
                completion(.failure(error))
            }
        }
    }

    /// Ends what libcurl has ended.
    private func collect() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle,
                let id = work.transfers.first(where: { $0.value.transfer.handle == handle })?.key
            else { continue }
            let code = ccurl_result(message)
            end(id) { $0.outcome(code) }
        }
    }

    /// Ends what is cancelled or has reached its deadline.
    private func giveUp() {
        let cancelled = state.withLock(\.cancelled)
        let now = time.now()
        for (id, entry) in work.transfers {
            if cancelled.contains(id) {
                end(id) { _ in .failure(.cancelled) }
            } else if entry.transfer.deadline <= now {
                end(id) { $0.outcome(nil) }
            }
        }
    }

    private func end(_ id: Int, _ outcome: (HTTPTransfer) -> HTTPTransfer.Outcome) {
        guard let (transfer, completion) = work.transfers.removeValue(forKey: id) else { return }
        curl_multi_remove_handle(multi, transfer.handle)
        completion(outcome(transfer))
    }

    /// Until the next deadline.
    private var wait: Duration {
        let now = time.now()
        let next = work.transfers.values.map { $0.transfer.deadline - now }.min() ?? Self.longestWait
        return min(max(next, .zero), Self.longestWait)
    }
}
