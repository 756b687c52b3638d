#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The settings of a program, all of which are in a table of keys.
package protocol KeyedConfiguration {
    /// The keys of the file.
    static var keys: [ConfigurationKey<Self>] { get }

    /// The sections of the files that it was read from.
    var sections: Set<String> { get set }

    /// The defaults.
    init()
}

extension KeyedConfiguration {
    /// Reads the file that an option names, which must exist, or the usual one, which may be missing: then the defaults.
    package init(named option: String?, usual: String) throws(ConfigurationError) {
        if let option {
            try self.init(file: option)
        } else if access(usual, F_OK) == 0 {
            try self.init(file: usual)
        } else {
            self.init()
        }
    }

    /// Reads a file that only root and the program's own user can change, and those of its drop-in folder.
    package init(file: String) throws(ConfigurationError) {
        self.init()
        for part in [file] + ConfigurationFile.dropIns(of: file) { try read(ConfigurationFile.text(part), part) }
    }

    /// Reads a file's text. An unknown key or a bad value is an error that names file, line and key.
    package init(text: String, file: String) throws(ConfigurationError) {
        self.init()
        try read(text, file)
    }

    private mutating func read(_ text: String, _ file: String) throws(ConfigurationError) {
        var source = try ConfigurationSource(text: text, file: file)
        for key in Self.keys { try key.read(&self, &source) }
        sections.formUnion(source.sections)
        try source.refuseRest(sections: Set(Self.keys.compactMap(\.section)))
    }
}
