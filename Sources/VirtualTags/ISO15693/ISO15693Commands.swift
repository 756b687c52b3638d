extension ISO15693Tag {
    /// Answers one frame: flags, command, UID where it is addressed, parameters.
    public mutating func exchange(_ command: [UInt8]) -> TagAnswer {
        guard state != .off, command.count >= 2 else { return .silence }
        let (flags, code) = (command[0], command[1])
        guard flags & 0x04 == 0 else { return .silence }
        var parameters = Array(command.dropFirst(2))
        let isAddressed = flags & 0x20 != 0
        if isAddressed {
            guard parameters.prefix(8).elementsEqual(identifier.reversed()) else {
                // A SELECT for another tag takes this one back to ready.
                if code == 0x25, state == .selected { state = .ready }
                return .silence
            }
            parameters.removeFirst(8)
        } else if flags & 0x10 != 0 ? state != .selected : state == .quiet {
            return .silence
        }
        return perform(code, parameters, hasOption: flags & 0x40 != 0, isAddressed: isAddressed)
    }

    private mutating func perform(
        _ code: UInt8, _ parameters: [UInt8], hasOption: Bool, isAddressed: Bool
    ) -> TagAnswer {
        switch code {
        case 0x02: return isAddressed ? silence(.quiet) : .silence
        case 0x25: return isAddressed ? become(.selected) : Self.error(0x02)
        case 0x26: return become(.ready)
        case 0x20, 0x23, 0x2C: return read(code, parameters, hasOption, width: 1)
        case 0x30 where product.hasExtended, 0x33 where product.hasExtended, 0x3C where product.hasExtended:
            return read(code - 0x10, parameters, hasOption, width: 2)
        case 0x21, 0x22: return change(code, parameters, hasOption, width: 1)
        case 0x31 where product.hasExtended, 0x32 where product.hasExtended:
            return change(code - 0x10, parameters, hasOption, width: 2)
        case 0x27, 0x28, 0x29, 0x2A: return changeIdentifier(code, parameters, hasOption)
        case 0x2B: return parameters.isEmpty ? information(tellsSize: product.tellsSize, width: 1) : Self.error(0x02)
        case 0x3B where product.hasExtended:
            return parameters.count == 1
                ? information(tellsSize: parameters[0] & 0x04 != 0, width: 2) : Self.error(0x02)
        default: return Self.error(0x01)
        }
    }

    static func error(_ code: UInt8) -> TagAnswer { .data([0x01, code]) }
    private static let done = TagAnswer.data([0x00])

    private mutating func silence(_ next: State) -> TagAnswer {
        state = next
        return .silence
    }

    private mutating func become(_ next: State) -> TagAnswer {
        state = next
        return Self.done
    }

    /// The error for a block that is not there.
    private var missing: TagAnswer { Self.error(product.hasUnknownErrors ? 0x0F : 0x10) }

    /// READ SINGLE BLOCK, READ MULTIPLE BLOCKS and GET MULTIPLE BLOCK SECURITY STATUS; numbers of `width` bytes.
    private func read(_ code: UInt8, _ parameters: [UInt8], _ hasOption: Bool, width: Int) -> TagAnswer {
        guard parameters.count == (code == 0x20 ? width : 2 * width) else { return Self.error(0x02) }
        let first = Self.number(parameters.prefix(width))
        let last = code == 0x20 ? first : first + Self.number(parameters.suffix(width))
        guard last < product.blockCount else { return missing }
        let content = (first...last).flatMap { block -> [UInt8] in
            let security: [UInt8] = [lockedBlocks.contains(block) ? 1 : 0]
            guard code != 0x2C else { return security }
            return (hasOption ? security : []) + memory.dropFirst(block * product.blockSize).prefix(product.blockSize)
        }
        return .data([0x00] + content)
    }

    /// WRITE SINGLE BLOCK and LOCK BLOCK.
    private mutating func change(_ code: UInt8, _ parameters: [UInt8], _ hasOption: Bool, width: Int) -> TagAnswer {
        guard parameters.count == width + (code == 0x21 ? product.blockSize : 0) else { return Self.error(0x02) }
        guard hasOption == product.wantsOption else { return Self.error(0x03) }
        let block = Self.number(parameters.prefix(width))
        guard block < product.blockCount else { return missing }
        guard !lockedBlocks.contains(block) else { return Self.error(code == 0x21 ? 0x12 : 0x11) }
        if code == 0x21 {
            memory.overwrite(at: block * product.blockSize, with: parameters.dropFirst(width))
        } else {
            guard block < product.lockableBlocks else { return Self.error(0x0F) }
            lockedBlocks.insert(block)
        }
        return Self.done
    }

    /// WRITE AFI, LOCK AFI, WRITE DSFID, LOCK DSFID.
    private mutating func changeIdentifier(_ code: UInt8, _ parameters: [UInt8], _ hasOption: Bool) -> TagAnswer {
        let isLock = code == 0x28 || code == 0x2A
        let isLocked = code < 0x29 ? isAFILocked : isDSFIDLocked
        guard parameters.count == (isLock ? 0 : 1) else { return Self.error(0x02) }
        guard hasOption == product.wantsOption else { return Self.error(0x03) }
        guard !isLocked else { return Self.error(isLock ? 0x11 : 0x12) }
        switch code {
        case 0x27: afi = parameters.first ?? 0
        case 0x28: isAFILocked = true
        case 0x29: dsfid = parameters.first ?? 0
        default: isDSFIDLocked = true
        }
        return Self.done
    }

    /// Information flags, UID, DSFID, AFI, size of the memory if it is told, IC reference.
    private func information(tellsSize: Bool, width: Int) -> TagAnswer {
        let count = product.blockCount - 1
        let number = width == 1 ? [count] : [count & 0xFF, count >> 8]
        let size = tellsSize ? (number + [product.blockSize - 1]).map { UInt8(truncatingIfNeeded: $0) } : []
        let head: [UInt8] = [0x00, tellsSize ? 0x0F : 0x0B] + identifier.reversed() + [dsfid, afi]
        return .data(head + size + [product.icReference])
    }

    /// Least significant byte first.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }
}
