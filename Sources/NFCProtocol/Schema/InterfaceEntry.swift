/// A method or a notification: its name, what it is for, and what it carries.
package struct InterfaceEntry: Sendable {
    /// The name on the wire.
    package let name: String
    /// What it is for, in a line.
    package let summary: String
    /// What a request or the notification carries.
    let parameters: any (Decodable & SendableMetatype).Type
    /// What the answer carries; nil for a notification.
    let result: (any (Decodable & SendableMetatype).Type)?

    /// A method.
    init<M: Method>(_ method: M.Type, _ summary: String) {
        name = M.name
        self.summary = summary
        parameters = M.Parameters.self
        result = M.Result.self
    }

    /// A notification.
    init<N: ServerNotification>(_ notification: N.Type, _ summary: String) {
        name = N.name
        self.summary = summary
        parameters = N.self
        result = nil
    }
}

extension InterfaceEntry {
    /// The Method Object of OpenRPC 1.3.2; a notification is one without a result.
    ///
    /// - Throws: `DecodingError` for a type whose schema cannot be made.
    func methodObject() throws -> JSONValue {
        var object: [String: JSONValue] = [
            "name": .string(name), "summary": .string(summary), "paramStructure": "by-name",
            "params": .array(try parameterList()),
        ]
        if let result {
            let schema = try SchemaDecoder.note(of: result).schema
            object["result"] = ["name": "result", "required": true, "schema": schema]
        }
        return .object(object)
    }

    /// Those that have to be there first, as OpenRPC wants it; otherwise in the order in which they are declared.
    private func parameterList() throws -> [JSONValue] {
        let members = try SchemaDecoder.note(of: parameters).members
        return (members.filter { !$0.isOptional } + members.filter(\.isOptional)).map { Self.parameter($0) }
    }

    /// A Content Descriptor Object.
    private static func parameter(_ member: SchemaNote.Member) -> JSONValue {
        ["name": .string(member.name), "required": .bool(!member.isOptional), "schema": member.note.schema]
    }
}
