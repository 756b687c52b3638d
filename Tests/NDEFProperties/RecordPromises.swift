import FoundationEssentials
import NDEF

extension NDEFRecord {
    /// The promises of the library that this record breaks; none, whatever its bytes are.
    package var brokenPromises: [String] {
        var broken: [String] = []
        if description.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            broken.append("a description has no control characters")
        }
        let decoded = self.decoded
        if let content = decoded.content {
            broken += decoded.brokenPromises(NDEFRecord(content, identifier: identifier))
        }
        return broken
    }
}

extension DecodedPayload {
    /// The promises that do not hold between what was decoded and the canonical record that says it.
    fileprivate func brokenPromises(_ canonical: NDEFRecord) -> [String] {
        var broken: [String] = []
        if canonical.decoded != self { broken.append("a payload written anew says the same") }
        if let content = canonical.decoded.content,
            NDEFRecord(content, identifier: canonical.identifier) != canonical
        {
            broken.append("the canonical form is written as it is")
        }
        if !isKeptByJSON { broken.append("the decoded form alone makes a record that says the same") }
        return broken
    }

    private var isKeptByJSON: Bool {
        guard let content,
            let json = try? JSONEncoder().encode(["decoded": DecodedForm(content: content)]),
            let record = try? JSONDecoder().decode(NDEFRecord.self, from: json)
        else { return false }
        return record.decoded == self
    }
}
