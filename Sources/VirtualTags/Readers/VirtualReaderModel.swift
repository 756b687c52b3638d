/// An entry of the catalogue of reader models that can be made by name.
public struct VirtualReaderModel: Sendable, Hashable {
    /// The name to ask for, lower case.
    public let name: String
    /// One line for people.
    public let description: String
    /// What libccid calls the real reader, without serial number and index.
    public let readerName: String
    /// How it behaves.
    public let settings: VirtualReader.Settings
    /// The kinds of tags it finds in its field.
    let sees: Set<VirtualTagTechnology>

    /// The model with this name; letter case does not matter.
    public static func named(_ name: String) -> VirtualReaderModel? {
        all.first { $0.name == name.lowercased() }
    }

    /// A reader of this model, still off, with a tag in its field; nil where such a reader does not see the tag.
    public func card(_ tag: any VirtualTag) -> (any VirtualCard)? {
        sees.contains(tag.technology) ? VirtualReader(tag: tag, settings: settings) : nil
    }
}

/// What is not documented is modelled as a driver has to assume it: the pass-throughs of OMNIKEY 5321 and RC-S300, and that
/// SpringCard readers give no more of a FeliCa card than its IDm.
extension VirtualReaderModel {
    /// Every model, in the order to list them.
    public static let all: [VirtualReaderModel] = [
        generic, acr122u, acr1252u, acr1552u, omnikey5321, omnikey5422, identiv, springCard, rcS300,
    ]

    private static let iso14443: Set<VirtualTagTechnology> = [
        .type2, .mifareClassic, .iso14443Part4A, .iso14443Part4B,
    ]

    private static let generic = VirtualReaderModel(
        name: "generic", description: "PC/SC reader without pass-through; sees every tag", readerName: "Virtual PCD",
        settings: .init(), sees: Set(VirtualTagTechnology.allCases))

    private static let acr122u = VirtualReaderModel(
        name: "acr122u", description: "ACR122U: PN532 commands in FF 00 00 00; a tag that refused stays mute",
        readerName: "ACS ACR122U PICC Interface",
        settings: .init(reactivatesAfterRefusal: false, passThrough: .pn53x).with { $0.feliCaName = 0xF011 },
        sees: iso14443.union([.feliCa, .topaz]))

    private static let acr1252u = VirtualReaderModel(
        name: "acr1252u", description: "ACR1252U: frames in FF 00 00 00; a tag that refused stays mute",
        readerName: "ACS ACR1252 1S CL Reader [ACR1252 Dual Reader PICC]",
        settings: .init(reactivatesAfterRefusal: false, passThrough: .direct), sees: iso14443.union([.feliCa]))

    private static let acr1552u = VirtualReaderModel(
        name: "acr1552u", description: "ACR1552U: transparent sessions FF C2",
        readerName: "ACS ACR1552 1S CL Reader [ACR1552 CL Reader PICC]",
        settings: .init(passThrough: .transparentSession).with { $0.vicinity.reversesIdentifier = true },
        sees: iso14443.union([.iso15693, .feliCa]))

    private static let omnikey5321 = VirtualReaderModel(
        name: "omnikey-5321", description: "OMNIKEY 5321: frames in FF A0 00 05", readerName: "OMNIKEY CardMan 5321",
        settings: .init(passThrough: .omnikey).with { $0.classic.valueCommands = .hid },
        sees: iso14443.union([.iso15693]))

    private static let omnikey5422 = VirtualReaderModel(
        name: "omnikey-5422", description: "OMNIKEY 5422: no pass-through",
        readerName: "HID Global OMNIKEY 5422 Smartcard Reader",
        settings: .init().with { $0.classic.valueCommands = .hid }, sees: iso14443.union([.iso15693]))

    private static let identiv = VirtualReaderModel(
        name: "identiv", description: "uTrust 3700 F: a page at a time; FF FD, FF 40 to FF 60",
        readerName: "Identiv uTrust 3700 F CL Reader",
        settings: .init().with {
            $0.maximumRead = 4
            $0.vicinity.passesFrames = true
            $0.topazName = 0x0030
            $0.isIdentiv = true
        }, sees: Set(VirtualTagTechnology.allCases))

    private static let springCard = VirtualReaderModel(
        name: "springcard", description: "SpringCard: no pass-through", readerName: "SpringCard Puck One",
        settings: .init().with { $0.exchangesData = false }, sees: iso14443.union([.feliCa]))

    private static let rcS300 = VirtualReaderModel(
        name: "rc-s300", description: "Sony RC-S300: transparent sessions FF C2", readerName: "Sony FeliCa RC-S300/S",
        settings: .init(passThrough: .transparentSession), sees: [.type2, .iso14443Part4A, .iso14443Part4B, .feliCa])
}

extension VirtualReader.Settings {
    /// The same but for what the body changes.
    fileprivate func with(_ body: (inout Self) -> Void) -> Self {
        var settings = self
        body(&settings)
        return settings
    }
}
