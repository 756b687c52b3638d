import VirtualTags

extension FuzzTarget {
    /// The input is a dump file.
    static let dump = FuzzTarget(name: "dump") { bytes in
        guard let image = try? TagImage(dump: bytes) else { return [] }
        var broken: [String] = []
        if let text = try? image.jsonFile(), (try? TagImage(dump: Array(text.utf8))) != image {
            broken.append("a JSON file keeps the image")
        }
        if let text = try? image.flipperFile(), (try? TagImage(dump: Array(text.utf8)).flipperFile()) != text {
            broken.append("a Flipper file written again is the same")
        }
        if let file = try? image.rawFile(), (try? TagImage(dump: file).rawFile()) != file {
            broken.append("a raw file written again is the same")
        }
        if let tag = try? image.makeTag(filler: 0), (try? TagImage(of: tag)) == nil {
            broken.append("every tag made of an image has an image")
        }
        return broken
    }
}
