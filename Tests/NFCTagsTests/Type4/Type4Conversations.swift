/// What is said to Type 4 tags, for tests to put together and to spoil.
enum Type4Conversations {
    static let application: ScriptedCard.Turn = ("00A4040007 D2760000850101 00", "9000")
    static let container: ScriptedCard.Turn = ("00A4000C02 E103", "9000")
    static let file: ScriptedCard.Turn = ("00A4000C02 E104", "9000")

    /// MLe 3B, MLc 34, 2048 bytes, free.
    static let plainContainer = "000F20003B00340406E10408000000"

    /// Everything up to the selected file.
    static func opening(_ bytes: String = plainContainer) -> [ScriptedCard.Turn] {
        [application, container, ("00B000000F", bytes + "9000"), file]
    }

    /// Opening again when the container is known.
    static let reopening = [application, file]

    static func opened(_ bytes: String = plainContainer, _ rest: ScriptedCard.Turn...) -> [ScriptedCard.Turn] {
        opening(bytes) + rest
    }
}
