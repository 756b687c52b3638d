import CoreNFC
import NFCReaders
import VirtualTags

/// A virtual reader. It does what an ACR1552U does, which sees all the kinds of tags that an iPhone does.
public final class TestReader: Sendable {
    /// Its name, as `NFCReaderSession.readers` takes it.
    public let name: String
    private let driver: SimulatedDriver
    private let model: VirtualReaderModel

    init(_ name: String, _ model: VirtualReaderModel, of driver: SimulatedDriver) {
        self.name = name
        self.model = model
        self.driver = driver
    }

    /// Puts a tag on the reader.
    ///
    /// - Throws: ``TestTagError`` where there is one on it already, or no such tag.
    @discardableResult
    public func present(_ tag: TestTag) throws -> PresentedTag {
        guard let reader = model.card(try tag.made()) as? VirtualReader else {
            throw TestTagError("\(tag.model): a reader of model \(model.name) does not see such a tag")
        }
        let card: any VirtualCard = tag.faults == .none ? reader : FaultInjectingCard(reader, plan: tag.faults)
        do throws(SimulatorError) {
            return PresentedTag(reader, try driver.present(card, on: name), on: driver)
        } catch {
            throw TestTagError("\(error)")
        }
    }

    /// Takes away what lies on it.
    public func remove() {
        for presentation in driver.presentations where presentation.reader.rawValue == name {
            driver.remove(presentation)
        }
    }
}
