import ArgumentParser
import NDEF
import NFCTypes

extension OpenPrintTagUpdate {
    /// Fields of the command line or of a table, such as `storage_location=B3`. One without a value is removed, or left out of a new spool.
    ///
    /// - Throws: `ValidationError` for a field that does not exist or is given twice, or a value that it cannot have.
    init(fields texts: [String]) throws {
        var changes: [OpenPrintTagSection: [String: OpenPrintTagChange]] = [:]
        for text in texts {
            guard let equals = text.firstIndex(of: "=") else {
                throw ValidationError("\(text.escaped) has no value; write FIELD=VALUE")
            }
            do throws(SpoolFieldError) {
                let field = try SpoolFieldText(named: String(text[..<equals]))
                let value = String(text[text.index(after: equals)...])
                guard changes[field.section]?[field.field.name] == nil else {
                    throw SpoolFieldError("\(field.field.name) is given twice; give it once")
                }
                changes[field.section, default: [:]][field.field.name] =
                    value.isEmpty ? .remove : .set(try field.value(value))
            } catch {
                throw ValidationError(error.reason)
            }
        }
        self.init(changes)
    }
}

extension ValidationError {
    /// Prints a field that cannot be, and where all are explained.
    ///
    /// - Returns: 64, the exit code.
    func reportField() -> ExitCode {
        let command = "nfcctl help spool set"
        let help = message.contains(command) ? "" : "\n  See '\(command)' for the fields and their values."
        Terminal.error("Error: \(message)\(help)")
        return .validationFailure
    }
}

extension SpoolFile {
    private static let limit = 65_536

    /// The fields in a file of JSON.
    ///
    /// - Throws: `ExitCode` 66 or 65, after printing the reason, if the file cannot be read or is not one of fields.
    init(path: String, keepsOwn: Bool) throws {
        let file = InputFile(path: path)
        let bytes = try file.read(limit: Self.limit)
        do { self = try SpoolFile(bytes, keepsOwn: keepsOwn) } catch {
            throw spoolRefusal("\(file.name)\(error.reason)")
        }
    }
}
