import NFCProtocol
import NFCReaders
import NFCTags
import TagRecordings
import VirtualTags

extension MethodTable {
    /// `simulator.*`. Without simulated readers each of them is refused with error 1.
    mutating func addSimulatorMethods(_ simulator: SimulatedDriver?) {
        on(SimulatorPresent.self) { parameters, peer in
            let simulator = try required(simulator)
            let tag =
                if let profile = parameters.profile {
                    try await siteTag(profile, parameters, simulator)
                } else { try virtualTag(parameters) }
            let presentation: SimulatedDriver.Presentation
            do throws(SimulatorError) {
                let faults = parameters.removedAtCommand.map { FaultPlan(.removeDuring, at: $0) } ?? .none
                presentation = try simulator.present(tag, on: parameters.reader, faults: faults)
            } catch {
                throw RPCError.invalidParameters("\(error)", path: error.parameter)
            }
            if let recorded = tag as? RecordedTag {
                recorded.recordedCard.onUnrecorded { command in
                    peer.note("\(presentation.reader.rawValue) replays a recording, and \(command)")
                }
            }
            // A virtual tag stays on its reader as long as its client is connected.
            peer.own(presentation.name) { simulator.remove(presentation) }
            return Reply(
                SimulatorPresent.Result(
                    presentation: presentation.name, reader: presentation.reader.rawValue,
                    identifier: HexBytes(tag.identifier)))
        }
        on(SimulatorRemove.self) { parameters, peer in
            _ = try required(simulator)
            guard peer.release(parameters.presentation) else {
                throw RPCError.invalidParameters(
                    "this client has no virtual tag with this name", path: "params.presentation")
            }
            return Reply(Empty())
        }
        on(SimulatorPlug.self) { parameters, _ in
            let (simulator, reader) = (try required(simulator), ReaderID(rawValue: parameters.reader))
            guard parameters.connected ? simulator.plugIn(reader) : simulator.unplug(reader) else {
                throw RPCError.invalidParameters(
                    "no simulated reader \"\(parameters.reader)\" is \(parameters.connected ? "unplugged" : "plugged in")",
                    path: "params.reader")
            }
            return Reply(Empty())
        }
        on(SimulatorList.self) { _, _ in
            Reply(
                try required(simulator).presentations.map {
                    SimulatorList.Presentation(presentation: $0.name, reader: $0.reader.rawValue)
                })
        }
    }
}

private func required(_ simulator: SimulatedDriver?) throws(RPCError) -> SimulatedDriver {
    guard let simulator else {
        throw RPCError(.unsupportedFeature, detail: "nfcd has no simulated readers; start it with --simulator 1")
    }
    return simulator
}

/// A tag that is set up by a profile of nfcd.
private func siteTag(
    _ profile: String, _ parameters: SimulatorPresent.Parameters, _ simulator: SimulatedDriver
) async throws(RPCError) -> any VirtualTag {
    guard parameters.model == nil, parameters.dump == nil, parameters.recording == nil else {
        throw .invalidParameters("must not be combined with model, dump or recording", path: "params.profile")
    }
    let request = SiteTagRequest(
        profile: profile, identifier: parameters.identifier?.bytes, message: parameters.ndef?.bytes,
        isCopy: parameters.copy ?? false)
    do {
        if let tag = try await simulator.tag(request) { return tag }
    } catch {
        throw .invalidParameters("\(error)", path: "params.profile")
    }
    throw .invalidParameters("nfcd has no profiles; name a key file in [keys] of nfcd.toml", path: "params.profile")
}

private func virtualTag(_ parameters: SimulatorPresent.Parameters) throws(RPCError) -> any VirtualTag {
    if let recording = parameters.recording { return try recordedTag(recording, parameters) }
    if let dump = parameters.dump { return try dumpedTag(dump, parameters) }
    guard let model = parameters.model else {
        throw .invalidParameters("required unless dump, recording or profile is given", path: "params.model")
    }
    guard parameters.copy == nil else {
        throw .invalidParameters("only a tag of a profile can be a copy", path: "params.copy")
    }
    do throws(VirtualTagError) {
        return try VirtualTagModel.named(model).makeTag(
            identifier: parameters.identifier?.bytes, ndefMessage: parameters.ndef?.bytes)
    } catch {
        let parameter =
            switch error {
            case .unknownModel: "model"
            case .wrongIdentifierSize: "identifier"
            default: "ndef"
            }
        throw .invalidParameters("\(error)", path: "params.\(parameter)")
    }
}

extension SimulatedDriver.Presentation {
    /// The name of the presentation on the wire.
    fileprivate var name: String { "presentation-\(number)" }
}

extension SimulatorError {
    /// The path of the parameter at fault.
    fileprivate var parameter: String {
        switch self {
        case .unsupported: "params.model"
        case .recordedElsewhere: "params.recording"
        case .unknownReader, .readerTaken, .allReadersTaken: "params.reader"
        }
    }
}

/// The tag of a recording in the parameters of `simulator.present`.
private func recordedTag(
    _ recording: String, _ parameters: SimulatorPresent.Parameters
) throws(RPCError) -> any VirtualTag {
    guard parameters.model == nil, parameters.dump == nil, parameters.identifier == nil, parameters.ndef == nil else {
        throw .invalidParameters(
            "must not be combined with model, dump, identifier or ndef: the recording determines them",
            path: "params.recording")
    }
    do throws(RecordingError) {
        return try RecordedTag(try Recording(Array(recording.utf8)))
    } catch {
        throw .invalidParameters("\(error)", path: "params.recording")
    }
}

/// The tag that a dump file in the parameters of `simulator.present` describes.
func dumpedTag(_ dump: String, _ parameters: SimulatorPresent.Parameters) throws(RPCError) -> any VirtualTag {
    guard parameters.model == nil else {
        throw .invalidParameters(
            "must not be combined with model: the dump determines the product", path: "params.dump")
    }
    guard parameters.identifier == nil else { throw conflictsWithDump("identifier") }
    guard parameters.ndef == nil else { throw conflictsWithDump("ndef") }
    do throws(DumpError) {
        // A text format never consists of hexadecimal digits alone: it begins with `Fi` or `{`.
        return try TagImage.read(dump: HexBytes(dump)?.bytes ?? Array(dump.utf8)).image.makeTag()
    } catch {
        throw .invalidParameters("\(error)", path: "params.dump")
    }
}

private func conflictsWithDump(_ name: String) -> RPCError {
    .invalidParameters("must not be combined with dump, which contains it", path: "params.\(name)")
}
