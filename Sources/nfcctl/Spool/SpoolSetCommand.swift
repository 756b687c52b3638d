import ArgumentParser
import NDEF
import SpoolTags

/// `nfcctl spool set`: changes fields.
struct SpoolSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change fields on the next spool.",
        discussion: """
            Fields have the names of the format's specification, as nfcctl spool show prints them: those of OpenPrintTag and \
            OpenTag3D, and measure_available of a TigerTag, in its unit. A field without a value is removed. Items of a list are \
            separated by commas; colours are #RRGGBB or #RRGGBBAA; dates are 2026-01-31, with a time 2026-01-31T12:00:00Z. The units are those \
            that nfcctl spool show prints: g, mm, °C.

            Fields of the main section of an OpenPrintTag say what the spool is, and are protected on many tags. What its \
            specification does not allow, such as a least temperature above the highest, is refused.

            Examples:
              nfcctl spool set storage_location=B3 workgroup=desk
              nfcctl spool set consumed_weight=
              nfcctl spool set tags=matte,recycled primary_color=#3A3A3AFF
              nfcctl spool set --empty-aux

            The fields of an OpenPrintTag that change with use: \
            \(OpenPrintTagSection.aux.fields.map(\.name).joined(separator: ", ")).

            The others: \(OpenPrintTagSection.main.fields.map(\.name).joined(separator: ", ")).

            \(OpenPrintTagSection.main.fields.filter { !$0.itemNames.isEmpty }.map(\.itemList).joined(separator: "\n\n"))
            """)

    @Argument(help: ArgumentHelp("A field and its value.", valueName: "field=value"))
    var fields: [String] = []

    @Flag(help: "Empty the aux section of an OpenPrintTag first: what was used, the workgroup and the place.")
    var emptyAux = false

    @OptionGroup var options: TagOptions

    func validate() throws {
        if fields.isEmpty, !emptyAux { throw ValidationError("no field given; give one such as storage_location=B3") }
    }

    func run() async throws {
        let task: SpoolSet
        do { task = try SpoolSet(fields, emptiesAux: emptyAux) } catch let error as ValidationError {
            throw error.reportField()
        }
        try await SpoolChange(options: options, emptiesAux: emptyAux).run(task)
    }
}

extension OpenPrintTagField {
    /// The field with the names that it can have, in the order of the specification.
    fileprivate var itemList: String {
        switch form {
        case .item(let items), .items(let items, _):
            "\(name): \(items.names.sorted { $0.key < $1.key }.map(\.value).joined(separator: ", "))."
        default: name
        }
    }
}

/// Other values of fields.
private struct SpoolSet: SpoolTask {
    /// The fields of OpenPrintTag, or why it does not have them.
    private let openPrintTag: Result<OpenPrintTagUpdate, ValidationError>
    /// The fields of other formats; nil if there are none.
    private let others: [(name: String, value: String)]?
    /// The names of fields that other formats do not have.
    private let foreign: [String]
    private let emptiesAux: Bool

    /// - Throws: `ValidationError` for a field that no format has, or a value that it cannot have.
    init(_ fields: [String], emptiesAux: Bool) throws {
        self.emptiesAux = emptiesAux
        foreign = fields.map { String($0.prefix { $0 != "=" }) }.filter { !Self.isOther($0) }.map(\.escaped)
        let pairs = fields.compactMap { text -> (name: String, value: String)? in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return parts.count == 2 && Self.isOther(parts[0]) ? (parts[0], parts[1]) : nil
        }
        others = pairs.isEmpty || pairs.count < fields.count ? nil : pairs
        let names = pairs.map(\.name)
        if let name = names.first(where: { name in names.count { $0 == name } > 1 }) {
            throw ValidationError("\(name) is given twice; give it once")
        }
        do { openPrintTag = .success(try OpenPrintTagUpdate(fields: fields)) } catch let error
            as ValidationError
        {
            guard others != nil else { throw try Self.mixture(fields, of: foreign, and: pairs.map(\.name)) ?? error }
            openPrintTag = .failure(error)
        }
    }

    /// Why fields of different formats are refused; nil where that is not what is wrong.
    ///
    /// - Throws: `ValidationError` for a field of those that other formats do not have.
    private static func mixture(
        _ fields: [String], of foreign: [String], and others: [String]
    ) throws -> ValidationError? {
        guard !foreign.isEmpty, !others.isEmpty else { return nil }
        _ = try OpenPrintTagUpdate(fields: fields.filter { !isOther(String($0.prefix { $0 != "=" })) })
        return ValidationError(
            "no spool has all of these fields: OpenPrintTag has \(foreign.joined(separator: ", ")), other formats have "
                + "\(others.joined(separator: ", ")). Give those of one format")
    }

    private static let remaining = "measure_available"

    /// Whether OpenTag3D or a TigerTag has a field of that name.
    private static func isOther(_ name: String) -> Bool { name == remaining || OpenTag3DRecord.hasField(named: name) }

    var advice: String { "Its maker, or the program that wrote it, can change it" }

    func update(_ spool: OpenPrintTagRecord) throws -> OpenPrintTagUpdate {
        switch openPrintTag {
        case .success(let update): return update
        case .failure(let error): throw spoolRefusal("the spool is an OpenPrintTag: \(error.message)")
        }
    }

    func edit(_ spool: TigerTag) throws -> SpoolPageEdit {
        guard !emptiesAux, let others, others.count == 1, let field = others.first, field.name == Self.remaining else {
            throw spoolRefusal("the spool is a \(spool.version), of which only \(Self.remaining) can be changed here")
        }
        let amount = Int(field.value)
        guard field.value.isEmpty || amount != nil else {
            throw spoolRefusal(
                "\(Self.remaining) cannot be \(field.value.escaped): it is a whole number of \(spool.unit)")
        }
        do { return try spool.edit(remainingAmount: amount) } catch { throw spoolRefusal("\(error)") }
    }

    func changed(_ spool: OpenTag3DRecord) throws -> OpenTag3DRecord {
        guard !emptiesAux, let others else {
            let reason =
                foreign.isEmpty
                ? "has no aux section to empty"
                : "does not have the \(foreign.count == 1 ? "field" : "fields") \(foreign.joined(separator: ", "))"
            throw spoolRefusal("the spool is an OpenTag3D, which \(reason)")
        }
        do {
            return try others.reduce(spool) { spool, field in try spool.setting(field.name, to: field.value) }
        } catch let error as NDEFPayloadError {
            throw spoolRefusal("the spool does not take this: \(error.message.escaped)")
        }
    }
}
