import Testing

/// What the programs share is made once: the text that marks it, and the only file of `Sources` with it.
@Suite struct `What the programs share` {
    private static let places = [
        "LoggingSystem.bootstrap": "Sources/ServiceSupport/Program/ServiceProgram.swift",
        "there is no log level": "Sources/ServiceSupport/Program/ServiceProgram.swift",
        "UnixSignalsSequence(trapping: .sigterm": "Sources/ServiceSupport/Program/ServiceProgram.swift",
        "throw ExitCode(EX_CANTCREAT)": "Sources/ServiceSupport/Program/ServiceProgram.swift",
        "signal(SIGPIPE, SIG_IGN)": "Sources/ServiceSupport/Program/ServiceProgram.swift",
        "\"WATCHDOG=1\"": "Sources/ServiceSupport/Program/ServiceManager.swift",
        ".beat() }": "Sources/ServiceSupport/Program/StatusService.swift",
        "pthread_t()": "Sources/Threading/ThreadExecutor.swift",
        "eventfd(0": "Sources/CLinux/cevent.c",
        "timerfd_create(clock": "Sources/CLinux/ctimer.c",
        "SOL_SOCKET, SO_PEERCRED": "Sources/CLinux/cpeer.c",
        "exists and is not a socket": "Sources/LocalSocket/SocketFile.swift",
        "sockaddr_un()": "Sources/LocalSocket/UnixAddress.swift",
        "# TYPE": "Sources/NFCTypes/MetricsText.swift",
    ]

    @Test(arguments: places.sorted { $0.key < $1.key })
    func `is in one place`(mark: String, place: String) {
        let files = PackageFiles.sources.filter { $0.text.contains(mark) }.map(\.path)
        #expect(files == [place], "\(mark)")
    }
}
