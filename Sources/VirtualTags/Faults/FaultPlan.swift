/// Something that goes wrong at an exchange.
public enum Fault: Sendable, Hashable {
    /// The tag is taken away before it gets the command.
    case removeBefore
    /// The tag gets and carries out the command, but is taken away before its answer arrives.
    case removeDuring
    /// The tag is taken away after its answer arrived.
    case removeAfter
    /// The host gets these bytes in place of the response; any number of bytes, none as well.
    case answer([UInt8])
    /// The response takes this much longer.
    case delay(Duration)
}

/// Which faults happen at which exchange. Exchanges are the host's APDUs, counted from 1.
public struct FaultPlan: Sendable, Hashable {
    /// No faults at all.
    public static let none = FaultPlan()

    private var faults: [Int: [Fault]] = [:]

    /// An empty plan.
    public init() {}

    /// A plan with one fault at one exchange.
    public init(_ fault: Fault, at exchange: Int) {
        add(fault, at: exchange)
    }

    /// Adds a fault. Several at one exchange all happen; an exchange below 1 never does.
    public mutating func add(_ fault: Fault, at exchange: Int) {
        faults[exchange, default: []].append(fault)
    }

    /// The plan with one more fault.
    public func adding(_ fault: Fault, at exchange: Int) -> FaultPlan {
        var plan = self
        plan.add(fault, at: exchange)
        return plan
    }

    /// What happens at an exchange.
    public func faults(at exchange: Int) -> [Fault] {
        faults[exchange] ?? []
    }
}
