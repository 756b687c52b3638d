import ArgumentParser
import NDEF

/// A mail or text message that a phone is to compose.
private struct ComposeDraft: RecordDraft {
    static let options = "--email or --sms"

    let option: String
    /// The URI without its fields.
    let address: String
    var subject: String?
    var body: String?

    func record() throws -> NDEFRecord {
        let fields = [("subject", subject), ("body", body)].compactMap { name, value in
            value.map { "\(name)=\($0.percentEncoded())" }
        }
        return try .uri(address + (fields.isEmpty ? "" : "?" + fields.joined(separator: "&")))
    }
}

/// A person or an organisation.
private struct ContactDraft: RecordDraft {
    static let options = "--contact"
    let option = "--contact"
    var contact: VCardContact

    func record() throws -> NDEFRecord { try .vCard(contact) }
}

/// The options for what a phone can do with a tag: call, write, find a place, add a contact.
struct ContactOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Add a telephone number (RFC 3966).", valueName: "number"),
        transform: OrderedOption.named("--tel") { number, message in
            try message.add(.uri("tel:\(phoneNumber(number))"))
        })
    var tel: [OrderedOption] = []

    @Option(
        help: ArgumentHelp(
            "Add a mail to this address (RFC 6068); --subject and --body may follow.", valueName: "address"),
        transform: OrderedOption.named("--email") { address, message in
            try message.begin(ComposeDraft(option: "--email", address: "mailto:" + mailAddress(address)))
        })
    var email: [OrderedOption] = []

    @Option(
        help: ArgumentHelp("Add a text message to this number (RFC 5724); --body may follow.", valueName: "number"),
        transform: OrderedOption.named("--sms") { number, message in
            try message.begin(ComposeDraft(option: "--sms", address: "sms:\(phoneNumber(number))"))
        })
    var sms: [OrderedOption] = []

    @Option(
        help: ArgumentHelp("The subject of the preceding mail.", valueName: "text"),
        transform: OrderedOption.named("--subject") { text, message in
            try message.change(ComposeDraft.self) { draft in
                guard draft.option == "--email" else { throw OptionError("must follow --email") }
                draft.subject = text
            }
        })
    var subject: [OrderedOption] = []

    @Option(
        help: ArgumentHelp("The text of the preceding mail or text message.", valueName: "text"),
        transform: OrderedOption.named("--body") { text, message in
            try message.change(ComposeDraft.self) { $0.body = text }
        })
    var body: [OrderedOption] = []

    @Option(
        help: ArgumentHelp(
            "Add a place by latitude and longitude in degrees (RFC 5870), such as 48.2,16.37.", valueName: "lat,lon"),
        transform: OrderedOption.named("--geo") { place, message in try message.add(.uri(geoURI(place))) })
    var geo: [OrderedOption] = []

    @Option(
        help: ArgumentHelp("Add a contact (vCard 3.0); the options for its details follow.", valueName: "name"),
        transform: OrderedOption.named("--contact") { name, message in
            try message.begin(ContactDraft(contact: VCardContact(formattedName: name, name: nameParts(name))))
        })
    var contact: [OrderedOption] = []

    @Option(
        help: ArgumentHelp("A telephone number of the contact; may be repeated.", valueName: "number"),
        transform: OrderedOption.named("--contact-tel") { number, message in
            let phone = VCardValue(try phoneNumber(number))
            try message.change(ContactDraft.self) { $0.contact.phones.append(phone) }
        })
    var contactTel: [OrderedOption] = []

    @Option(
        help: ArgumentHelp("A mail address of the contact; may be repeated.", valueName: "address"),
        transform: OrderedOption.named("--contact-email") { address, message in
            _ = try mailAddress(address)
            try message.change(ContactDraft.self) { $0.contact.mails.append(VCardValue(address)) }
        })
    var contactEmail: [OrderedOption] = []

    @Option(
        help: ArgumentHelp("A web page of the contact; may be repeated.", valueName: "uri"),
        transform: OrderedOption.named("--contact-url") { uri, message in
            if let doubt = URIDoubt(uri) { message.addDoubt("--contact-url \(uri): \(doubt.text)") }
            try message.change(ContactDraft.self) { $0.contact.urls.append(uri) }
        })
    var contactUrl: [OrderedOption] = []

    @Option(
        help: ArgumentHelp("The organisation of the contact.", valueName: "name"),
        transform: OrderedOption.named("--contact-org") { name, message in
            try message.change(ContactDraft.self) { $0.contact.organisation = [name] }
        })
    var contactOrg: [OrderedOption] = []

    var all: [OrderedOption] {
        let links = tel + email + sms + subject + body + geo
        return links + contact + contactTel + contactEmail + contactUrl + contactOrg
    }
}

/// A telephone number as a URI has it: the digits, without the characters that only separate them for the eye.
private func phoneNumber(_ text: String) throws(OptionError) -> String {
    let number = text.filter { !" ()-./".contains($0) }
    guard number.wholeMatch(of: /\+?[0-9]{1,15}|[0-9*#]{1,32}/) != nil else {
        throw OptionError("requires a telephone number, such as +43 1 234567")
    }
    return number.replacing("#", with: "%23")
}

/// A mail address as a URI has it (RFC 6068, section 2).
private func mailAddress(_ text: String) throws(OptionError) -> String {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), URIDoubt("mailto:\(text)") == nil else {
        throw OptionError("requires a mail address, such as ada@example.com")
    }
    return text.percentEncoded(except: "@+!$'*")
}

/// A place as a URI (RFC 5870).
private func geoURI(_ place: String) throws(OptionError) -> String {
    let parts = place.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
    let degrees = parts.compactMap { $0.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?/).flatMap { Double($0.output.0) } }
    guard parts.count == 2, degrees.count == 2, abs(degrees[0]) <= 90, abs(degrees[1]) <= 180 else {
        throw OptionError("requires latitude and longitude in degrees, such as 48.2,16.37")
    }
    return "geo:\(parts[0]),\(parts[1])"
}

/// The name of a person with the last word as the family name; vCard 3.0 requires both forms.
private func nameParts(_ name: String) throws(OptionError) -> VCardName {
    let words = name.split(separator: " ").map(String.init)
    guard let last = words.last else { throw OptionError("requires a name") }
    return words.count == 1
        ? VCardName(given: last) : VCardName(family: last, given: words.dropLast().joined(separator: " "))
}

extension String {
    /// The text with every byte that is neither unreserved (RFC 3986, section 2.3) nor one of `exceptions` percent-encoded.
    fileprivate func percentEncoded(except exceptions: String = "") -> String {
        utf8.map { byte in
            let isPlain =
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
                || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte || "-._~\(exceptions)".utf8.contains(byte)
            return isPlain ? String(Unicode.Scalar(byte)) : "%" + [byte].hexadecimal
        }.joined()
    }
}
