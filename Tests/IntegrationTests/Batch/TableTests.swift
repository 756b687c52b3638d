import ArgumentParser
import Foundation
import NDEF
import NFCProtocol
import Testing

@testable import nfcctl

/// Tables as spreadsheets write them, and the reports of batches in the same form.
@Suite(.timeLimit(.minutes(20)))
struct `Tables of spreadsheets` {
    private static func table(_ text: String, delimiter: Unicode.Scalar? = nil) throws -> TableFile {
        try TableFile(TextContent(Array(text.utf8)), delimiter: delimiter)
    }

    @Test(arguments: [
        ("id,name\n7,Ada\n", ",", "\n"), ("id;name\r\n7;Ada\r\n", ";", "\r\n"), ("id\tname\r7\tAda\r", "\t", "\r"),
        ("sep=;\r\nid;name\r\n7;Ada\r\n", ";", "\r\n"), ("\"sep=|\"\nid|name\n7|Ada", "|", "\n"),
        ("SEP=\t\nid\tname\n7\tAda\n", "\t", "\n"), ("id,name,,\n7,Ada,,\n,,,\n", ",", "\n"),
        ("id;name;;\r\n7;Ada\r\n;;;\r\n", ";", "\r\n"), ("\"id\";\"name\"\n\"7\";\"Ada\"\n\n", ";", "\n"),
        ("\u{FEFF}id,name\n7,Ada\n", ",", "\n"), ("id,name\n\n7,Ada", ",", "\n"), ("sep=,\nid,name\n7,Ada", ",", "\n"),
    ])
    func `are read`(text: String, delimiter: String, lineEnd: String) throws {
        let table = try Self.table(text)
        #expect(table.names == ["id", "name"] && table.rows.map(\.fields) == [["7", "Ada"]], "\(table)")
        #expect(String(table.dialect.delimiter) == delimiter && table.dialect.lineEnd == lineEnd)
    }

    @Test func `keep what only looks like a delimiter`() throws {
        #expect(try Self.table("id;n\n7;\"a;b,c\"\n").rows.map(\.fields) == [["7", "a;b,c"]])
        #expect(try Self.table("\"a,b\";c\n1;2\n").names == ["a,b", "c"])
        #expect(try Self.table("id\n1,5\n", delimiter: ";").rows.map(\.fields) == [["1,5"]])
        #expect(try Self.table("id,a;b\n1,2\n", delimiter: ",").names == ["id", "a;b"])
        #expect(try Self.table("a,b\n\"x\r\ny\",2\r\n").rows.map(\.fields) == [["x\r\ny", "2"]])
        #expect(try Self.table("a;b\n1;2\n;\n3;4\n").rows.map(\.line) == [2, 4])
    }

    @Test func `with names that do not decide the delimiter are refused`() {
        let error = #expect(throws: CSVError.self) { try Self.table("id,a;b\n1,2;3\n") }
        #expect(error?.reason.contains("--delimiter") == true)
    }

    // MARK: The command

    private func refusal(_ content: [UInt8], _ more: String...) async throws -> Finished {
        let scratch = try Scratch()
        let file = try scratch.file("t.csv", content)
        let options = ["--csv", file, "--report", "\(scratch.path)/r.csv", "--text", "{name}"]
        return try await run(
            [Programs.nfcctl, "write", "--each"] + options + more, environment: ["NFCD_SOCKET": "/nonexistent/s"])
    }

    @Test func `of windows-1252 are refused with line and column, or converted`() async throws {
        let table: [UInt8] = Array("id,name\n7,M".utf8) + [0xFC] + "ller\n".utf8
        let refused = try await refusal(table)
        #expect(refused.status == 65, "\(refused)")
        #expect(
            refused.errors.first?.contains(
                "t.csv, line 2, column 4: byte 0xFC is not UTF-8. Save the file as UTF-8, or")
                == true && refused.errors.first?.contains("--encoding") == true, "\(refused)")
        // The next step fails: there is no daemon.
        #expect(try await refusal(table, "--encoding", "windows-1252").status == 69)
        let other = try await run([Programs.nfcctl, "ndef", "encode", "--encoding", "windows-1252", "--text", "x"])
        #expect(other.status == 64 && other.errors.first?.contains("--csv") == true, "\(other)")
    }

    @Test(arguments: [
        ([0x50, 0x4B, 0x03, 0x04, 0x14], "Save it as CSV"), (Array("id,a;b\n1,2\n".utf8), "--delimiter"),
        (Array("name,\"x\n1,2\n".utf8), "not closed"), (Array("name,name\n1,2\n".utf8), "two columns have the name"),
        (Array("name,,x\n1,2,3\n".utf8), "a column has no name"),
        (Array("name\n1,2\n".utf8), "line 2, row 1: 2 fields"),
    ])
    func `of another kind are refused with a sentence`(content: [UInt8], reason: String) async throws {
        let refused = try await refusal(content)
        #expect(refused.status == 65 && refused.errors.first?.contains(reason) == true, "\(refused)")
    }

    @Test(arguments: [
        (#"{"uri":"https://ex.am/7","text":"Ada"}"#, 69, "no nfcd listens"),
        (#"{"text":"Ada"}"#, 69, "no nfcd listens"),
        (#"{"uri":"ex.am"}"#, 65, "it has no scheme"), (#"{"name":"Ada"}"#, 65, "row 1"), ("[7]", 65, "row 1"),
        (#"{"uri":"","text":""}"#, 65, "no message"), (#"{"text":7}"#, 69, "no nfcd listens"),
    ])
    func `of JSON lines take uri and text`(line: String, status: Int32, reason: String) async throws {
        let scratch = try Scratch()
        let file = try scratch.file("t.jsonl", [0xEF, 0xBB, 0xBF] + "\(line)\n".utf8)
        let finished = try await run(
            [Programs.nfcctl, "write", "--each", "--json-lines", file, "--report", "\(scratch.path)/r.csv"],
            environment: ["NFCD_SOCKET": "/nonexistent/s"])
        #expect(finished.status == status && finished.errors.first?.contains(reason) == true, "\(finished)")
    }

    // MARK: Reports

    private static let bytes: [UInt8] = [0xD1, 0x01, 0x04, 0x54, 0x02, 0x65, 0x6E, 0x41]
    private static let uid: [UInt8] = [0x04, 0x11, 0x22, 0x33, 0x44, 0x55, 0x01]

    private func add(_ number: Int, to report: BatchReport) throws {
        let row = BatchRow(number: number, bytes: Self.bytes, columns: ["id": "7", "name": "Mü;€,ller"])
        try report.add(row, message: NDEFMessage(decoding: Self.bytes), tag: HexBytes(Self.uid), reader: "A")
    }

    /// Opens a report. A program that another test starts at this moment holds its lock until it runs.
    private func opened(_ path: String, _ dialect: TableDialect) throws -> BatchReport {
        for _ in 0..<400 {
            do {
                return try BatchReport(path: path, dialect: dialect, tableColumns: ["id", "name"])
            } catch let code as ExitCode where code == .temporary {
                usleep(5_000)
            }
        }
        return try BatchReport(path: path, dialect: dialect, tableColumns: ["id", "name"])
    }

    private func content(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    @Test(arguments: [
        TableDialect(), TableDialect(hasMark: true, delimiter: ";", lineEnd: "\r\n"),
        TableDialect(encoding: .utf16LittleEndian, hasMark: true, delimiter: "\t", lineEnd: "\r\n"),
        TableDialect(encoding: .utf16BigEndian, hasMark: true, delimiter: ";", lineEnd: "\r\n"),
        TableDialect(encoding: .windows1252, delimiter: ";", lineEnd: "\r\n"),
        TableDialect(delimiter: "\t", lineEnd: "\r"), TableDialect(delimiter: ";", declaresDelimiter: true),
    ])
    func `come back as the report`(dialect: TableDialect) throws {
        let scratch = try Scratch()
        let path = "\(scratch.path)/r.csv"
        for number in 1...2 {
            let report = try opened(path, dialect)
            #expect(report.entries.count == number - 1)
            try add(number, to: report)
        }
        let text = try TextContent(try content(path), declared: dialect.encoding)
        let table = try TableFile(text)
        #expect(table.dialect == dialect)
        #expect(table.names == ["number", "uid", "time", "reader", "content", "ndef", "id", "name"])
        #expect(table.rows.map { Array($0.fields.suffix(2)) } == [["7", "Mü;€,ller"], ["7", "Mü;€,ller"]])
        // Cut at every byte, as by a loss of power: whole lines stay.
        let whole = try content(path)
        for count in 0..<whole.count {
            _ = try scratch.file("r.csv", Array(whole.prefix(count)))
            guard let report = try? opened(path, dialect) else {
                // Only a heading after a complete line sep= can be taken for another file.
                #expect(dialect.declaresDelimiter && count < 60, "\(count)")
                continue
            }
            #expect(report.entries.count <= 2)
            let known = report.entries.count
            try add(3, to: report)
            let numbers = try TableFile(TextContent(content(path), declared: dialect.encoding)).rows.map {
                $0.fields[0]
            }
            #expect(numbers == ["1", "2"].prefix(known) + ["3"], "\(count)")
        }
    }

    @Test(arguments: [
        "\u{FEFF}number;uid;time;reader;content;ndef\r\n1;4112233445501;2026;A;\"Text \"\"A\"\" (en)\";D101045402656E41\r\n",
        "\"number\",\"uid\",\"time\",\"reader\",\"content\",\"ndef\"\n\"1\",\"04112233445501\",\"\",\"\",\"\",\"d101045402656e41\"",
        "number\tuid\ttime\treader\tcontent\tndef\t\t\r1\t04112233445501\t\t\t\tD101045402656E41\t\t\r\t\t\t\t\t\t\t\r",
        "sep=;\nnumber;uid;time;reader;content;ndef\n1;04112233445501;;;;D101045402656E41\n",
    ])
    func `that a spreadsheet has saved again are still reports`(text: String) throws {
        let scratch = try Scratch()
        for encoding in [TextEncoding.utf8, .utf16LittleEndian] {
            let path = try scratch.file("r.csv", encoding.mark + encoding.bytes(of: text))
            let expected = BatchReport.Entry(number: 1, tag: Self.uid, message: Self.bytes)
            #expect(try BatchReport(path: path).entries == [expected])
            try add(2, to: BatchReport(path: path))
            #expect(try BatchReport(path: path).entries.map(\.number) == [1, 2])
        }
    }

    @Test(arguments: [
        "number,uid,time,reader,content,ndef\n1,4.11E+12,,,,D101045402656E41\n", "a", "number,uid\n", "id,name\n1,2\n",
    ])
    func `that hold anything else are not touched`(text: String) throws {
        let scratch = try Scratch()
        let path = try scratch.file("r.csv", text)
        #expect(throws: (any Error).self) { try BatchReport(path: path) }
        #expect(try content(path) == Array(text.utf8))
    }
}
