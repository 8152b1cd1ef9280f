/// Which vault's household a device belongs to, as far as this run has seen. Where too many are remembered, the one that
/// was seen last longest ago gives way, of the neighbour that has most: who opens a vault again and again without a cookie
/// pushes out devices of its own, and nobody else's.
struct KnownHouseholds: Sendable {
    private struct Entry {
        let household: [UInt8]
        let neighbour: [UInt8]
        let number: UInt64
    }

    static let most = 4096

    private var entries: [[UInt8]: Entry] = [:]
    private var nextNumber: UInt64 = 0
    /// Devices by neighbour and the number of their entry.
    private var order: [[UInt8]: [UInt64: [UInt8]]] = [:]

    func household(of device: [UInt8]) -> [UInt8]? { entries[device]?.household }

    mutating func note(_ device: [UInt8], opened household: [UInt8], at neighbour: [UInt8]) {
        remove(device)
        entries[device] = Entry(household: household, neighbour: neighbour, number: nextNumber)
        order[neighbour, default: [:]][nextNumber] = device
        nextNumber += 1
        guard entries.count > Self.most, let fullest = order.max(by: { $0.value.count < $1.value.count }),
            let oldest = fullest.value.min(by: { $0.key < $1.key })
        else { return }
        remove(oldest.value)
    }

    private mutating func remove(_ device: [UInt8]) {
        guard let entry = entries.removeValue(forKey: device) else { return }
        order[entry.neighbour]?[entry.number] = nil
        if order[entry.neighbour]?.isEmpty == true { order[entry.neighbour] = nil }
    }
}
