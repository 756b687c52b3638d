/// The path of the folder that a file is in.
package enum FolderPath {
    /// The part of a path before its last slash; "." for a path without one.
    package static func folder(of file: String) -> String {
        file.lastIndex(of: "/").map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? "."
    }
}
