/// A tag that has a password or other settings besides its message. Nothing of them is ever tried: a tag that does not have a
/// setting, or whose configuration is locked, is left unchanged.
public protocol SettableTag: NDEFTag {
    /// Protects the tag with a password, or changes its password; the tag has to accept it before it is in force.
    ///
    /// - Returns: what the password protects.
    /// - Throws: ``TagError``, before anything is written: 1 if tag or reader do not support it, or a value is out of its
    ///   range; 400 if the configuration is locked, or the tag needs its present password. Then 401 or 100; the detail states
    ///   whether the tag has a password.
    @discardableResult
    func setPassword(_ password: TagPassword) async throws(TagError) -> TagProtection

    /// Removes the password; a tag without one stays without.
    ///
    /// - Throws: ``TagError`` as ``setPassword(_:)``.
    func removePassword() async throws(TagError)

    /// Changes the counter, the mirror, and what else a tag has besides its message.
    ///
    /// - Returns: the settings that the tag has then.
    /// - Throws: ``TagError`` as ``setPassword(_:)``.
    @discardableResult
    func configure(_ changes: TagSettingChanges) async throws(TagError) -> TagSettings
}
