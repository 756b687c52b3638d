import Foundation
import NFCProtocol
import Testing

/// Readers that cannot be used, with a real pcscd: it is being started, another program holds them, or they hang.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `Readers that cannot be used` {
    private static let waiting = "waiting for the PC/SC service to start"

    @Test func `while pcscd is being started, readers and doctor wait for it`() async throws {
        guard try await Programs.found(["python3"]) else { return }
        let pcsc = try await PrivatePCSC()
        await pcsc.kill()
        let starter = try await pcsc.startOnDemand()
        let daemon = try await DaemonUnderTest(pcsc)
        let readers = try daemon.start("readers", "--json")
        #expect(await readers.errors.next(containing: Self.waiting) != nil)
        let info = try await LineClient(path: daemon.socket).result("server.info")
        #expect(info["readerService"] == "starting")
        #expect(info["readerServiceDetail"] == "the PC/SC service is being started")
        let doctor = try daemon.start("doctor", "--json")
        #expect(await doctor.errors.next(containing: Self.waiting) != nil)
        starter.finishInput()
        #expect(await readers.status() == 0)
        #expect(readers.output.all.count == 2)
        #expect(await doctor.status() == 0, "\(doctor.output.all)")
        await daemon.process.end()
        await pcsc.end()
    }

    @Test func `SIGTERM ends nfcd while pcscd is being started`() async throws {
        guard try await Programs.found(["python3"]) else { return }
        let pcsc = try await PrivatePCSC()
        await pcsc.kill()
        let starter = try await pcsc.startOnDemand()
        let daemon = try await DaemonUnderTest(pcsc)
        let readers = try daemon.start("readers")
        #expect(await readers.errors.next(containing: Self.waiting) != nil)
        #expect(await daemon.process.end() == 0)
        _ = await readers.status()
        await starter.end(SIGKILL)
        await pcsc.end()
    }

    @Test(arguments: [false, true])
    func `a reader that another program holds is not broken, and works when it is released`(
        isExclusive: Bool
    ) async throws {
        guard try await Programs.found(["python3"]) else { return }
        try await withReaders { daemon, pcsc in
            let tag = try await daemon.tap("ntag213", "--text", "Hello", "--vpcd", `With a real pcscd`.vpcd)
            try await daemon.wait(for: "tagArrived")
            let holder = try await pcsc.holdCard(isExclusive: isExclusive)
            let scan = try await daemon.startScan("--timeout", "50")
            let tap = try await scan.output.nextScanLine()
            #expect(tap.error?.code == 203, "\(tap)")
            #expect(tap.error?.detail.contains("another program holds the reader") == true, "\(tap)")
            try await daemon.wait(for: "virtual-pcd-0 cannot be used: another program uses it")
            let readers = try await daemon.run("readers").output.first ?? ""
            #expect(readers.contains("another program uses it") && !readers.contains("failed"), "\(readers)")
            let doctor = try await daemon.run("doctor").output.joined(separator: " ")
            #expect(doctor.contains("is held by another program"), "\(doctor)")
            #expect(doctor.contains("(process \(holder.processID))"), "\(doctor)")
            #expect(!doctor.contains("nplug it"), "\(doctor)")
            holder.finishInput()
            #expect(await holder.status() == 0)
            try await daemon.wait(for: "virtual-pcd-0 works again")
            await scan.end(SIGINT)
            let again = try await daemon.startScan("--count", "1")
            #expect(try await again.output.nextScanLine().message?.records.first?.decoded?.text == "Hello")
            #expect(await again.status() == 0)
            await tag.end(SIGINT)
        }
    }

    @Test(arguments: ["read", "info", "dump"])
    func `a command on a tag that another program holds waits, and ends well when it is released`(
        command: String
    ) async throws {
        guard try await Programs.found(["python3"]) else { return }
        try await withReaders { daemon, pcsc in
            let tag = try await daemon.tap("ntag213", "--text", "Hello", "--vpcd", `With a real pcscd`.vpcd)
            try await daemon.wait(for: "tagArrived")
            let holder = try await pcsc.holdCard(isExclusive: true)
            let reading = try daemon.start(command, "--timeout", "50")
            #expect(await reading.errors.next(containing: "another program holds the reader") != nil)
            holder.finishInput()
            #expect(await holder.status() == 0)
            #expect(await reading.status() == 0, "\(reading.errors.all)")
            await tag.end(SIGINT)
        }
    }

    @Test func `a reader that hangs while it is idle is reported as failed, and works when it answers again`()
        async throws
    {
        try await withReaders { daemon, pcsc in
            let card = try await daemon.tapStrange("hang")
            try await daemon.wait(for: "tagArrived")
            #expect(await card.output.next(containing: "hanging") != nil)
            let scan = try await daemon.startScan("--timeout", "50")
            try await daemon.wait(for: "reader virtual-pcd-0 failed: connecting took longer than 5.0 seconds")
            let readers = try await daemon.run("readers").output.first ?? ""
            #expect(readers.contains("failed (connecting took longer"), "\(readers)")
            let doctor = try await daemon.run("doctor").output.joined(separator: " ")
            #expect(doctor.contains("has failed"), "\(doctor)")
            await card.end(SIGKILL)
            try await daemon.wait(for: "virtual-pcd-0 works again")
            await scan.end(SIGINT)
        }
    }
}
