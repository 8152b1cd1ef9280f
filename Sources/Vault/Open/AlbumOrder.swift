import Records

/// The order that people give albums by hand. Places are far apart, so that one more finds room between two.
enum AlbumOrder {
    static let step: UInt64 = 1 << 20

    /// Those that were moved by their places, then the others, what was used last first.
    static func stands(_ one: AlbumEntry, before other: AlbumEntry) -> Bool {
        switch (one.record.place, other.record.place) {
        case (let one?, let other?) where one != other: one < other
        case (.some, nil): true
        case (nil, .some): false
        default: (other.record.usedAt, other.rowNumber) < (one.record.usedAt, one.rowNumber)
        }
    }

    /// The new places of as few albums as the order needs.
    /// - Parameters:
    ///   - order: as it is to be, with the places of before.
    ///   - index: of the one that was moved.
    static func places(in order: [AlbumRecord], moved index: Int) -> [(id: AlbumID, place: UInt64)] {
        let last = order.lastIndex { $0.place != nil && $0.id != order[index].id }
        if let place = free(in: order, at: index) { return [(order[index].id, place)] }
        return order[...max(index, last ?? index)].enumerated().compactMap { number, album in
            let place = UInt64(number + 1) * step
            return album.place == place ? nil : (album.id, place)
        }
    }

    /// A place between the neighbours; nil where the one before has none, or nothing is free.
    private static func free(in order: [AlbumRecord], at index: Int) -> UInt64? {
        guard let before = index == 0 ? 0 : order[index - 1].place else { return nil }
        guard index + 1 < order.count, let behind = order[index + 1].place else { return before + step }
        guard behind > before, behind - before > 1 else { return nil }
        return before + (behind - before) / 2
    }
}
