/// `nfcd-fuzz TARGET [libFuzzer's options and corpus folders]`; without a target, the names of all.
@main
enum Fuzzer {
    static func main() {
        guard CommandLine.arguments.count > 1 else {
            for target in FuzzTarget.all { print(target.name) }
            return
        }
        guard chosen != nil else { fatalError("there is no target \(CommandLine.arguments[1])") }
        // libFuzzer sees the target as the program's name; as an argument it would be a corpus folder.
        var count = CommandLine.argc - 1
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
        _ = runDriver(&count, &arguments) { start, size in
            Fuzzer.testOneInput(Array(UnsafeBufferPointer(start: start, count: size)))
            return 0
        }
    }

    private static let chosen = FuzzTarget.all.first { $0.name == CommandLine.arguments[1] }

    private static func testOneInput(_ bytes: [UInt8]) {
        guard let promise = chosen?.run(bytes).first else { return }
        fatalError("broken promise: \(promise)")
    }
}

/// `LLVMFuzzerRunDriver` of libFuzzer, which the linker adds.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ argumentCount: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ testOneInput: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
