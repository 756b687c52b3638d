import NDEF

extension VCardRecord {
    var vectorForm: VectorValue {
        let contact = self.contact
        let addresses = all("ADR").map { $0.vectorForm(value: .array($0.components.map { .string($0) })) }
        return .fields([
            "kind": "vcard", "version": version.map { .string($0) },
            "fn": contact.formattedName.map { .string($0) },
            "n": all("N").first.map { .array($0.components.map { .string($0) }) },
            "tel": .array(all("TEL").map { $0.vectorForm(value: .string($0.text)) }),
            "email": .array(contact.mails.map { .string($0.value) }),
            "adr": addresses.isEmpty ? nil : .array(addresses),
            "org": contact.organisation.isEmpty ? nil : .string(contact.organisation.joined(separator: ";")),
            "title": contact.title.map { .string($0) }, "url": contact.urls.first.map { .string($0) },
            "note": contact.note.map { .string($0) },
        ])
    }

    private func all(_ name: String) -> [VCardProperty] { properties.filter { $0.name == name } }
}

extension VCardProperty {
    fileprivate func vectorForm(value: VectorValue) -> VectorValue {
        let parameters = self.parameters.map { parameter in
            VectorValue.string(parameter.name.map { "\($0)=\(parameter.value)" } ?? parameter.value)
        }
        return ["value": value, "params": .array(parameters)]
    }
}
