/// A number and what it counts, as people write it: `1 byte`, `12 bytes`.
package func counted(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
}

/// A sentence with the place it speaks of in front: `record 2 at byte 17: …`. Records are counted from 1 for people.
func located(_ sentence: String, recordIndex: Int?, byteOffset: Int?) -> String {
    switch (recordIndex, byteOffset) {
    case (let index?, let offset?): "record \(index + 1) at byte \(offset): \(sentence)"
    case (let index?, nil): "record \(index + 1): \(sentence)"
    case (nil, let offset?): "at byte \(offset): \(sentence)"
    case (nil, nil): sentence
    }
}

/// How errors and warnings stand in the JSON form: `{"code":"TRUNCATED_PAYLOAD","message":"…"}`.
enum ReportKey: String, CodingKey {
    case code, message
}
