import CoreNFC

// Runs one of the programs on whatever nfcd there is: `corenfc-programs scan`, for example. What happens is printed, a line each,
// up to the end of the session.

private func program(_ name: String?) -> (NSObject, Happenings)? {
    switch name {
    case "scan":
        let scanner = MessageScanner(endsAfterFirst: true)
        scanner.scan()
        return (scanner, scanner.happenings)
    case "authenticate":
        let authenticator = CardAuthenticator(application: Data([0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01]))
        authenticator.start()
        return (authenticator, authenticator.happenings)
    case "desfire":
        let inspector = DESFireInspector(application: [0x01, 0x00, 0x00], file: 2)
        inspector.start()
        return (inspector, inspector.happenings)
    case "main-thread":
        let probe = MainThreadProbe()
        probe.start()
        return (probe, probe.happenings)
    default: return nil
    }
}

guard let (running, happenings) = program(CommandLine.arguments.dropFirst().first) else {
    print("usage: corenfc-programs scan|authenticate|desfire|main-thread")
    exit(64)
}
Task {
    while true {
        let what = await happenings.next()
        FileHandle.standardOutput.write(Data("\(what)\n".utf8))
        if ["done", "canceled", "closed"].contains(what) { exit(0) }
    }
}
withExtendedLifetime(running) { RunLoop.main.run() }
