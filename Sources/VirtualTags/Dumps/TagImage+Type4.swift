extension TagImage {
    /// A card of a modelled product where the image names one, else a Type 4 tag of no particular make.
    func makeType4() throws(DumpError) -> any VirtualTag {
        guard files[Type4Content.containerIdentifier] != nil else { throw DumpError(.missing, field: "files.E103") }
        return try modelled { () throws(VirtualTagError) -> any VirtualTag in
            if let product = [DESFireProduct.desfireEV1, .ntag424DNA].first(where: { $0.name == product }) {
                return try DESFireCard(product: product, identifier: identifier, files: files)
            }
            return try Type4Card(identifier: identifier, files: files)
        }
    }
}
