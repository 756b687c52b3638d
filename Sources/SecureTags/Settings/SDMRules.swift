/// What a tag demands of SDM settings (NT4H2421Gx, §10.7.1): checked before a command is sent, since a refusal ends the session.
struct SDMRules {
    private struct Field {
        let name: String
        let offset: Int
        let length: Int
        var end: Int { offset + length }
    }

    let settings: SDMSettings
    let fileSize: Int
    let isLRP: Bool
    let keyCount: UInt8

    /// Why the tag would refuse the settings; nil if it would take them.
    var problem: String? { keyProblem ?? mirrorProblem ?? codeProblem ?? placeProblem }

    private var keyProblem: String? {
        for condition in [settings.metaRead, settings.fileRead, settings.counterRetrieval] {
            if let number = condition.keyNumber, number >= keyCount { return "key \(number) does not exist." }
        }
        if settings.fileRead == .free { return "the code needs a key: SDMFileRead must be a key, or never." }
        return nil
    }

    private var mirrorProblem: String? {
        let (uid, counter) = (settings.mirrorsUID, settings.mirrorsCounter)
        if settings.metaRead != .never, !uid, !counter { return "neither the UID nor the counter is mirrored." }
        if settings.metaRead == .never, uid { return "the UID is to be mirrored, and SDMMetaRead forbids it." }
        if settings.counterRetrieval != .never, !counter { return "the counter can be read only if it counts." }
        if settings.metaRead == .free, uid, settings.uidOffset == nil { return "the place of the UID is missing." }
        if settings.metaRead.keyNumber != nil, settings.piccDataOffset == nil {
            return "the place of the encrypted UID and counter is missing."
        }
        guard let limit = settings.counterLimit else { return nil }
        if !counter { return "a limit needs the counter." }
        return 1...0xFFFFFF ~= limit ? nil : "the limit of the counter is not between 1 and 16777215."
    }

    private var codeProblem: String? {
        guard settings.fileRead != .never else {
            return settings.encryption == nil ? nil : "encrypted file data needs SDMFileRead to be a key."
        }
        guard let input = settings.macInputOffset, let code = settings.macOffset else {
            return "the place of the code, or of its input, is missing."
        }
        if input > code { return "the input of the code begins after the code." }
        guard let encryption = settings.encryption else { return nil }
        if !settings.mirrorsUID || !settings.mirrorsCounter {
            return "encrypted file data needs both the UID and the counter."
        }
        if encryption.length <= 0 || !encryption.length.isMultiple(of: 32) {
            return "the length of encrypted file data is not a multiple of 32 characters."
        }
        return input <= encryption.offset && encryption.offset + encryption.length <= code
            ? nil : "encrypted file data is not inside the input of the code."
    }

    private var fields: [Field] {
        var fields: [Field] = []
        func add(_ name: String, _ offset: Int?, _ length: Int) {
            if let offset { fields.append(Field(name: name, offset: offset, length: length)) }
        }
        if settings.metaRead == .free {
            add("the UID", settings.mirrorsUID ? settings.uidOffset : nil, 14)
            add("the counter", settings.mirrorsCounter ? settings.counterOffset : nil, 6)
        }
        add("the PICC data", settings.metaRead.keyNumber == nil ? nil : settings.piccDataOffset, isLRP ? 48 : 32)
        if settings.fileRead != .never {
            add("the encrypted file data", settings.encryption?.offset, settings.encryption?.length ?? 0)
            add("the code", settings.macOffset, 16)
        }
        return fields
    }

    private var placeProblem: String? {
        let fields = fields.sorted { $0.offset < $1.offset }
        for (one, next) in zip(fields, fields.dropFirst()) where one.end > next.offset {
            return "\(one.name) and \(next.name) overlap."
        }
        var places = fields
        if let offset = settings.tamperOffset {
            places.append(Field(name: "the tamper status", offset: offset, length: 2))
            if let problem = tamperProblem(offset, fields) { return problem }
        }
        let isOutside = places.first { $0.offset < 0 || $0.end > fileSize }
        return isOutside.map { "\($0.name) ends at byte \($0.end) of a file of \(fileSize) bytes." }
    }

    /// The status may be inside the plaintext of the encrypted file data, and nowhere else in another field.
    private func tamperProblem(_ offset: Int, _ fields: [Field]) -> String? {
        let plain = settings.encryption.map { $0.offset..<$0.offset + $0.length / 2 }
        if let plain, plain.contains(offset), plain.contains(offset + 1) { return nil }
        return fields.first { offset + 2 > $0.offset && offset < $0.end }.map {
            "the tamper status and \($0.name) overlap."
        }
    }
}
