import NFCProtocol
import NFCSessions
import NFCTags

extension MethodTable {
    /// Of `tag.*` what is about the tag itself.
    mutating func addContentMethods(_ coordinator: SessionCoordinator, clock: any Clock<Duration>) {
        onTag(TagDescribe.self, of: coordinator) { tag, _ throws(TagError) in
            TagDescribe.Result(try await tag.describe())
        }
        onTagCall(TagDumpMemory.self, of: coordinator) { tag, parameters, caller throws(TagError) in
            let progress = caller.progress(of: parameters, clock: clock)
            return TagDumpMemory.Result(try await tag.dump(progress: progress))
        }
        onTag(TagAuthenticate.self, of: coordinator) { tag, parameters throws(TagError) in
            let acknowledge = try await tag.authenticate(password: parameters.password.bytes)
            return TagAuthenticate.Result(acknowledge: HexBytes(acknowledge))
        }
    }
}
