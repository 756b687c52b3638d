import Foundation
import Testing

@testable import NDEF

/// What record types describe of their fields, against what their encoding and decoding do.
@Suite("Described fields")
struct JSONFieldTests {
    /// A `decoded` object, and the places of its fields.
    struct Sample: Sendable, CustomTestStringConvertible {
        let value: VectorValue
        let fields: [JSONField]

        var testDescription: String { value["kind"]?.string ?? "" }

        init?(_ json: String) {
            guard let value = try? JSONDecoder().decode(VectorValue.self, from: Data(json.utf8)),
                let form = DecodedForm.forms.first(where: { $0.kind == value["kind"]?.string })
            else { return nil }
            self.value = value
            fields = form.jsonFields
        }

        /// The places of all described fields that are there.
        var places: [Place] { Self.places(in: value, fields, []) }

        private static func places(in value: VectorValue, _ fields: [JSONField], _ path: [Step]) -> [Place] {
            fields.flatMap { field -> [Place] in
                guard let member = value[field.name] else { return [] }
                let here = path + [.member(field.name)]
                return [Place(path: here, field: field)] + places(in: member, field.form, here)
            }
        }

        private static func places(in value: VectorValue, _ form: JSONForm, _ path: [Step]) -> [Place] {
            switch (form, value) {
            case (.object(let type), _): places(in: value, type.jsonFields, path)
            case (.list(let element), .array(let values)):
                values.indices.flatMap { places(in: values[$0], element, path + [.element($0)]) }
            default: []
            }
        }

        /// The record that the object makes with another value at a place, or without one; nil where it is refused.
        func record(with value: VectorValue?, at place: Place) -> NDEFRecord? {
            changed(to: value, at: place).record
        }

        func changed(to value: VectorValue?, at place: Place) -> VectorValue {
            self.value.setting(place.path[...], to: value)
        }
    }

    struct Place {
        let path: [Step]
        let field: JSONField
    }

    enum Step {
        case member(String)
        case element(Int)
    }

    static let samples = (DocumentationTests.examples + more + pairing).compactMap(Sample.init)

    /// The data of a Low Energy device as that of a BR/EDR device.
    private static let pairing = more.filter { $0.contains("bluetoothLowEnergy") }.map {
        $0.replacing("bluetoothLowEnergy\"", with: "bluetoothEasyPairing\",\"address\":\"01:BF:88:80:07:03\"")
    }

    /// Samples with the fields that the examples of the documentation do not have.
    private static let more = [
        #"{"kind":"text","text":"a","language":"","encoding":"utf-16"}"#,
        #"{"kind":"text","text":"SPOOL:3","language":"en","encoding":"utf-8"}"#,
        #"{"kind":"text","text":"FILAMENT:2","language":"en","encoding":"utf-8"}"#,
        #"{"kind":"uri","uri":"tel:1;a=b;c","tel":{"number":"1","dialable":"1","parameters":[{"name":"a","value":"b"},{"name":"c"}]}}"#,
        #"{"kind":"uri","uri":"sms:1?a=b","sms":{"recipients":["1"],"otherFields":[{"name":"a","value":"b"}]}}"#,
        #"{"kind":"uri","uri":"mailto:a@b","mailto":{"to":["a@b"]}}"#,
        #"{"kind":"uri","uri":"geo:1,2;a=b","geo":{"latitude":1,"longitude":2,"crs":"wgs84","parameters":[{"name":"a","value":"b"}]}}"#,
        #"{"kind":"uri","tel":{"number":"1","extension":"2","parameters":[{"name":"a"}]}}"#,
        #"{"kind":"uri","sms":{"recipients":["1"],"body":"a","otherFields":[{"name":"a","value":"b"}]}}"#,
        #"{"kind":"uri","mailto":{"to":["a@b"],"cc":["c@d"],"subject":"e"}}"#,
        #"{"kind":"uri","geo":{"latitude":1.5,"longitude":2,"altitude":3,"crs":"wgs84","query":"q"}}"#,
        #"{"kind":"smartPoster","uri":"x:","titles":[]}"#,
        #"{"kind":"smartPoster","uri":"x:","titles":[{"text":"SPOOL:3","language":"en","encoding":"utf-8"}]}"#,
        #"{"kind":"smartPoster","uri":"x:","titles":[],"icons":[{"type":"image/svg+xml","text":"<svg/>"}]}"#,
        #"{"kind":"absoluteURI","uri":"x:"}"#,
        #"{"kind":"vCard","text":"a","phones":[],"mails":[]}"#,
        #"{"kind":"vCard","text":"é","encoding":"iso-8859-1","phones":[],"mails":[]}"#,
        #"{"kind":"vCard","version":"4.0","formattedName":"a","name":{"family":"a","given":"b","additional":"c","prefixes":"d","suffixes":"e"},"phones":[{"value":"1","types":["cell"]}],"mails":[{"value":"a@b","types":[]}],"addresses":[{"postOfficeBox":"1","extended":"2","street":"3","locality":"4","region":"5","postalCode":"6","country":"7","types":["work"]}],"photo":{"mediaType":"image/png","uri":"x:1"}}"#,
        #"{"kind":"vCard","text":"BEGIN:VCARD\r\nN:a;b;c;d;e\r\nADR:1;2;3;4;5;6;7\r\nADR:;;;4\r\nADR:;;3\r\nPHOTO;ENCODING=b:AAAA\r\nEND:VCARD\r\n","name":{"family":"a","given":"b","additional":"c","prefixes":"d","suffixes":"e"},"phones":[],"mails":[],"addresses":[{"postOfficeBox":"1","extended":"2","street":"3","locality":"4","region":"5","postalCode":"6","country":"7","types":[]},{"locality":"4","types":[]},{"street":"3","types":[]}],"photo":{"size":3}}"#,
        #"{"kind":"vCard","text":"BEGIN:VCARD\r\nN:;b\r\nEND:VCARD\r\n","name":{"given":"b"},"phones":[],"mails":[]}"#,
        #"{"kind":"vCard","text":"BEGIN:VCARD\r\nN:a\r\nEND:VCARD\r\n","name":{"family":"a"},"phones":[],"mails":[]}"#,
        #"{"kind":"wifi","credentials":[],"oobDevicePassword":{"publicKeyHash":"000102030405060708090A0B0C0D0E0F10111213","passwordID":7,"password":"00"},"version":"1.0","version2":null,"otherAttributes":[{"type":"1099","data":"00"}]}"#,
        #"{"kind":"wifi","credentials":[{"networkIndex":null,"ssidBytes":"FF","authentication":1,"encryption":null,"keyBytes":"FF","macAddress":null,"keyProvidedAutomatically":true,"otherAttributes":[{"type":"1099","data":"00"}]}],"version2":"2.0"}"#,
        #"{"kind":"wifi","credentials":[{"networkIndex":1,"ssid":"a","authentication":128,"encryption":16,"key":"","macAddress":"FFFFFFFFFFFF"}],"version2":"2.0"}"#,
        #"{"kind":"bluetoothLowEnergy","shortenedName":"a","classOfDevice":"240404","serviceClassUUIDs":["110B"],"incompleteServiceClassUUIDs":["0000110A"],"simplePairingHashC192":"000102030405060708090A0B0C0D0E0F","simplePairingRandomizerR192":"000102030405060708090A0B0C0D0E0F","simplePairingHashC256":"000102030405060708090A0B0C0D0E0F","simplePairingRandomizerR256":"000102030405060708090A0B0C0D0E0F","leAddress":{"address":"C6:05:04:03:02:01","isRandom":false},"leRole":4,"securityManagerTK":"000102030405060708090A0B0C0D0E0F","leSecureConnectionsConfirmation":"000102030405060708090A0B0C0D0E0F","leSecureConnectionsRandom":"000102030405060708090A0B0C0D0E0F","flags":["leGeneralDiscoverable",7],"txPowerLevel":-4,"other":[{"type":"FF","data":"0A0B"}]}"#,
        #"{"kind":"bluetoothLowEnergy","name":"a","appearance":0,"order":"0919"}"#,
        #"{"kind":"bluetoothEasyPairing","address":"01:BF:88:80:07:03"}"#,
        #"{"kind":"handoverRequest","version":"1.2","collisionResolution":{"randomNumber":1,"reserved":"00"},"carriers":[{"powerState":"unknown","carrierDataReference":"30","auxiliaryDataReferences":[],"reserved":"00"}],"other":[{"typeNameFormat":"unknown","type":"","identifier":"","payload":"00"}]}"#,
        #"{"kind":"handoverRequest","version":"1.1","carriers":[]}"#,
        #"{"kind":"handoverSelect","version":"1.5","carriers":[],"error":{"reason":"temporaryMemoryConstraints","data":1,"reserved":"00"},"other":[{"typeNameFormat":"unknown","type":"","identifier":"","payload":"00"}]}"#,
        #"{"kind":"handoverSelect","version":"1.5","carriers":[]}"#,
        #"{"kind":"handoverMediation","version":"1.5","carriers":[],"other":[{"typeNameFormat":"unknown","type":"","identifier":"","payload":"00"}]}"#,
        #"{"kind":"handoverInitiate","version":"1.5","carriers":[]}"#,
        #"{"kind":"alternativeCarrier","powerState":"active","carrierDataReference":"30","auxiliaryDataReferences":[],"reserved":"00"}"#,
        #"{"kind":"collisionResolution","randomNumber":1,"reserved":"00"}"#,
        #"{"kind":"handoverError","reason":"carrierSpecificConstraints","data":1,"reserved":"00"}"#,
        #"{"kind":"deviceInformation","vendorName":"a","modelName":"b"}"#,
        #"{"kind":"signature","version":"1.0","signatureType":"DSA","signatureURI":"x:","certificateFormat":"X9.68","certificates":[]}"#,
        #"{"kind":"openPrintTag","payload":"A5001818011901620219017A031834090100000000000000BF0050000102030405060708090A0B0C0D0E0F01500102030405060708090A0B0C0D0E0F10025002030405060708090A0B0C0D0E0F10110350030405060708090A0B0C0D0E0F101112041B000007D0FCAB45F9056269310662703107626D31080009000A6C47616C61787920426C61636B0B6950727573616D656E740D020E1A67ACB31A0F1A6DA2941A101903E8111903F41218C913433D3E3D14443D3E3D8015443D3E3D8016443D3E3D8017443D3E3D801818443D3E3D80181BF93266181C9F11181F1903E7FF181DF93CF6181EF93F00181F183C182018321821F93666182218CD182318DC182418AA182518281826183C18272418281828182914182A182A182B182B182C182C182D182D182E182E182F182F18301830183118311832183218331833183463504C4118351A0005091018361A00050CF8183762435A18389F0002FF1839182D183A18F0183B831832FA4134CCCD22183C6439303035184101FFBF0018C80164686F6D65026178031A67ACB31A04685368656C66204233051A67ACB31A06FA419F999A0763435A4B19FF786176FF"}"#,
        #"{"kind":"openPrintTag","payload":"A0"}"#,
        #"{"kind":"openPrintTag","payload":"A10901A0"}"#,
        #"{"kind":"openPrintTag","payload":"A0BF00"}"#,
        #"{"kind":"openPrintTag","payload":"A0BF13F6FF"}"#,
        #"{"kind":"openPrintTag","payload":"A0BF186501FF"}"#,
        #"{"kind":"openPrintTag","payload":"A0BF0100FF"}"#,
        #"{"kind":"openPrintTag","payload":"A10204BFA0FF"}"#,
        #"{"kind":"openSpool","text":"{\"protocol\":\"openspool\"}"}"#,
        #"{"kind":"openSpool","text":"{\"protocol\":\"openspool\",\"subtype\":\"Silk\",\"weight\":750,\"diameter\":\"1.75\",\"spool_id\":3}"}"#,
        #"{"kind":"openTag3D","payload":"03E8504C41000053696C6B000000000000000000000000000000004578616D706C652046696C616D656E74426C7565000000000000000000000000000000000000000000000000000000000000FFFF0000FF00FFFF0000FFFFFFFFFF06D603E82A0C04D80076000000000000000000006578616D706C652E636F6D2F732F310000000000000000000000000000000000422D370000000000000000000000000007EA01170A1E2D642AD83F1400C903EA01500B08262D080C02140C"}"#,
        #"{"kind":"openTag3D","payload":"03E800000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"}"#,
        #"{"kind":"uri","uri":"https://example.com/shop/01/9506000134352"}"#,
        #"{"kind":"genericControl","configuration":7,"target":[{"typeNameFormat":"nfcWellKnown","type":"55","identifier":"","payload":"0478"}],"actionRecords":[{"typeNameFormat":"nfcWellKnown","type":"54","identifier":"","payload":"02656E61"}],"data":[],"other":[{"typeNameFormat":"unknown","type":"","identifier":"","payload":"00"}]}"#,
    ]

    /// Values of every type, and some near the limits of fields.
    private static let strangeValues: [VectorValue] = [
        .null, .bool(true), 5, -1, 256, 65_536, .number(4_294_967_296), .number(0.5), "", "x", "0", "00", "0G", "1.5",
        "9.16",
        "01:02:03:04:05:06", "X.509", "none", .array([]), .array(["x"]), .array([5]), .array(["00"]), .object([:]),
        .object(["value": 5]), .array([.object([:])]),
    ]

    @Test func `a field is described as it is written`() throws {
        var uses = Uses()
        for sample in Self.samples {
            let content = try #require(sample.value.record?.decoded.content, "\(sample.value)")
            let written = try JSONDecoder().decode(VectorValue.self, from: Data(decodedJSON(content).utf8))
            uses.add(written, sample.fields, try #require(written["kind"]?.string))
        }
        for (name, use) in uses.all.sorted(by: { $0.key < $1.key }) {
            #expect(use.present > 0, "\(name) is never written")
            #expect((use.absent > 0) == (use.presence == .optional), "\(name) is absent \(use.absent) times")
        }
        #expect(Set(uses.kinds) == Set(DecodedForm.forms.map { $0.kind }))
    }

    @Test(arguments: samples)
    func `a required field that is missing or null is refused`(_ sample: Sample) {
        // With the whole text, the other fields are ignored.
        let isRead = !["uri", "vCard"].contains {
            sample.value["kind"] == .string($0) && sample.value["uri"] ?? sample.value["text"] != nil
        }
        for place in sample.places where place.field.presence == .required && isRead {
            #expect(sample.record(with: nil, at: place) == nil, "\(place.path)")
            #expect(sample.record(with: .null, at: place) == nil, "\(place.path)")
        }
    }

    @Test(arguments: samples)
    func `a field that is missing stands for its default`(_ sample: Sample) {
        for place in sample.places {
            guard let usual = place.field.usual else { continue }
            #expect(
                sample.record(with: nil, at: place) == sample.record(with: VectorValue(usual), at: place),
                "\(place.path)")
        }
    }

    @Test(arguments: samples)
    func `what is accepted and matters is described`(_ sample: Sample) {
        for place in sample.places {
            let without = sample.record(with: nil, at: place)
            for value in Self.strangeValues {
                guard let record = sample.record(with: value, at: place), record != without else { continue }
                let changed = sample.changed(to: value, at: place)
                let mismatches = FormConformance(isWritten: false).mismatches(ofDecoded: changed)
                #expect(mismatches == [], "\(value) is accepted at \(place.path)")
            }
        }
    }

    @Test(arguments: samples)
    func `a field that follows from others is ignored`(_ sample: Sample) {
        for place in sample.places where place.field.isDerived {
            let without = sample.record(with: nil, at: place)
            for value in Self.strangeValues { #expect(sample.record(with: value, at: place) == without) }
        }
    }

    @Test func `each object has one name, and each field a sentence`() {
        var names: [String: [String]] = [:]
        var waiting = DecodedForm.forms.map { $0 as any JSONDescribed.Type }
        while let type = waiting.popLast() {
            let fields = type.jsonFields.map(\.name)
            #expect(Set(fields).count == fields.count && !fields.contains("kind"), "\(type)")
            #expect(type.jsonSummary.hasSuffix("."), "\(type)")
            #expect(
                type.jsonFields.allSatisfy { $0.description.hasSuffix(".") || $0.description.hasSuffix(".`") },
                "\(type)")
            guard names.updateValue(fields, forKey: type.jsonName) == nil else { continue }
            waiting += type.jsonFields.compactMap { Self.type(in: $0.form) }
        }
        #expect(names.count > DecodedForm.forms.count)
    }

    private static func type(in form: JSONForm) -> (any JSONDescribed.Type)? {
        switch form {
        case .object(let type): type
        case .list(let element): type(in: element)
        default: nil
        }
    }
}

/// How often each field was written, and how often it was absent.
private struct Uses {
    struct Use {
        let presence: JSONField.Presence
        var present = 0
        var absent = 0
    }

    private(set) var all: [String: Use] = [:]
    private(set) var kinds: [String] = []

    mutating func add(_ value: VectorValue, _ fields: [JSONField], _ kind: String) {
        kinds.append(kind)
        add(value, fields, at: kind)
    }

    private mutating func add(_ value: VectorValue, _ fields: [JSONField], at name: String) {
        for field in fields {
            let key = "\(name).\(field.name)"
            let member = value[field.name]
            var use = all[key] ?? Use(presence: field.presence)
            if member == nil { use.absent += 1 } else { use.present += 1 }
            all[key] = use
            if let member { add(member, field.form) }
        }
    }

    private mutating func add(_ value: VectorValue, _ form: JSONForm) {
        switch (form, value) {
        case (.object(let type), _): add(value, type.jsonFields, at: type.jsonName)
        case (.list(let element), .array(let values)): for value in values { add(value, element) }
        default: break
        }
    }
}

extension VectorValue {
    fileprivate init(_ usual: JSONField.Default) {
        self =
            switch usual {
            case .text(let text): .string(text)
            case .integer(let number): .number(Double(number))
            case .boolean(let flag): .bool(flag)
            case .emptyList: .array([])
            }
    }

    /// The value with another one at a path, or without one there.
    fileprivate func setting(_ path: ArraySlice<JSONFieldTests.Step>, to value: VectorValue?) -> VectorValue {
        switch (path.first, self) {
        case (.member(let name), .object(var members)):
            members[name] = path.count == 1 ? value : members[name]?.setting(path.dropFirst(), to: value)
            return .object(members)
        case (.element(let index), .array(var values)):
            values[index] = values[index].setting(path.dropFirst(), to: value)
            return .array(values)
        default: return self
        }
    }
}

extension VectorValue {
    /// The record that this `decoded` object alone makes; nil where it is refused.
    var record: NDEFRecord? {
        guard let json = try? JSONEncoder().encode(["decoded": self]) else { return nil }
        return try? JSONDecoder().decode(NDEFRecord.self, from: json)
    }
}

extension VectorValue: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let flag): try container.encode(flag)
        case .number(let number): try container.encode(number)
        case .string(let text): try container.encode(text)
        case .array(let values): try container.encode(values)
        case .object(let members): try container.encode(members)
        }
    }
}
