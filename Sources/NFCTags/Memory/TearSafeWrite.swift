/// The steps of a write in an order that leaves the old message, none or the new one on the tag, wherever it is interrupted.
struct TearSafeWrite<Step: Sendable>: Sendable {
    /// The steps that remove the old message; empty if there is none, or where one step replaces it.
    var invalidate: [Step] = []
    /// The steps that write the new message while it is not visible.
    var data: [Step] = []
    /// The steps that make it visible.
    var commit: [Step] = []

    /// All steps in their order.
    var steps: [Step] { invalidate + data + commit }

    /// Performs the steps one after the other.
    ///
    /// - Throws: ``TagError`` 401 when a step is refused, 100 and others as `perform` throws them; the detail states what is
    ///   on the tag now.
    func run(
        progress: TagProgress? = nil, _ perform: (Step) async throws(TagError) -> Void
    ) async throws(TagError) {
        for (index, step) in steps.enumerated() {
            do throws(TagError) {
                try await perform(step)
            } catch {
                throw error.whileWriting(leaving: state(afterFailureAt: index, wasRefused: error.changedNothing))
            }
            progress?(index + 1, steps.count)
        }
    }

    /// What is on the tag when the step at `index` failed. A step that was refused has changed nothing; every other one may have.
    func state(afterFailureAt index: Int, wasRefused: Bool) -> WrittenState {
        let isLast = index == steps.count - 1
        let before: WrittenState = index == 0 ? .old : index < invalidate.count ? .oldOrEmpty : .empty
        if wasRefused { return before }
        switch before {
        case .old where invalidate.isEmpty && isLast: return .oldOrNew
        case .old where invalidate.isEmpty: return .old
        case .old, .oldOrEmpty: return .oldOrEmpty
        default: return isLast ? .emptyOrNew : .empty
        }
    }
}

/// What an interrupted write left on the tag.
public enum WrittenState: String, Sendable, Hashable, CaseIterable {
    /// The message that was there before.
    case old
    /// That, or none.
    case oldOrEmpty
    /// No message; the tag is formatted.
    case empty
    /// None, or the new message.
    case emptyOrNew
    /// The message that was there before, or the new one.
    case oldOrNew
    /// The new message: all of it was written, but not read back.
    case new
    /// A part of a change inside a record, which the error names, if not the old message or the new one.
    case partial
}

extension WrittenState: CustomStringConvertible {
    /// A clause that follows "the tag holds".
    public var description: String {
        switch self {
        case .old: "the old message"
        case .oldOrEmpty: "the old message or none"
        case .empty: "no message"
        case .emptyOrNew: "no message or the new one"
        case .oldOrNew: "the old message or the new one"
        case .new: "the new message"
        case .partial: "a part of the change"
        }
    }
}

extension TagError {
    /// The same error as it happened while a tag was changed: a wrong or missing answer (102) becomes 401.
    ///
    /// - Parameters:
    ///   - context: what was interrupted.
    ///   - state: what is on the tag now, where a message was written.
    func whileWriting(_ context: String? = nil, leaving state: WrittenState? = nil) -> TagError {
        let text = (context.map { "\($0): " } ?? "") + detail + (state.map { "; the tag holds \($0)" } ?? "")
        return TagError(
            code == .tagResponseError ? .tagUpdateFailure : code, text, response: response, statusWord: statusWord,
            leaves: state ?? leaves)
    }
}

/// Performs steps that change a tag; a failure is reported as a write error (401).
///
/// - Parameter context: what was interrupted, for the error.
func changingTag(
    _ context: String? = nil, _ body: () async throws(TagError) -> Void
) async throws(TagError) {
    do throws(TagError) {
        try await body()
    } catch {
        throw error.whileWriting(context)
    }
}
