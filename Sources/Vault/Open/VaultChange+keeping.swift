package import Media
import Records
import Store

/// What somebody wants to be said of a photo; nil leaves it as it is.
package struct PhotoCorrection: Sendable {
    /// What a person says of a value that may also be taken back.
    package enum Word<Value: Sendable>: Sendable {
        case none
        case said(Value)
    }

    package var caption: Word<String>?
    /// `none` goes back to what the file says.
    package var takenAt: Word<CaptureTime>?
    /// Degrees clockwise.
    package var rotation: Int?
    /// `none` shows the whole picture again.
    package var edit: Word<PhotoEdit>?

    package init() {}
}

extension VaultChange {
    /// - Returns: how many it changed.
    package mutating func setFavourite(_ serials: ArraySlice<UInt64>, _ isFavourite: Bool) throws -> Int {
        try mark(serials, \.isFavourite, isFavourite)
    }

    /// - Returns: how many it changed.
    package mutating func setApart(_ serials: ArraySlice<UInt64>, _ isApart: Bool) throws -> Int {
        try mark(serials, \.isApart, isApart)
    }

    /// - Returns: how many it changed.
    package mutating func setArchived(_ serials: ArraySlice<UInt64>, _ isArchived: Bool) throws -> Int {
        try mark(serials, \.isArchived, isArchived)
    }

    private mutating func mark(
        _ serials: ArraySlice<UInt64>, _ mark: WritableKeyPath<Keeping, Bool>, _ isSet: Bool
    ) throws -> Int {
        var count = 0
        for serial in serials {
            guard let photo = try currentOrKept(serial), photo.keeping[keyPath: mark] != isSet else { continue }
            try update(at: photo.rowNumber) { $0.keeping[keyPath: mark] = isSet }
            count += 1
        }
        return count
    }

    /// - Throws: `noSuchPhoto`.
    package mutating func correct(_ serial: UInt64, _ correction: PhotoCorrection) throws {
        guard let photo = try currentOrKept(serial) else { throw VaultError.noSuchPhoto }
        try update(at: photo.rowNumber) { record in
            switch correction.caption {
            case .said(let caption): record.keeping.caption = caption
            case .some(.none): record.keeping.caption = nil
            case nil: break
            }
            switch correction.takenAt {
            case .said(let time): record.keeping.takenAt = time.encoded
            case .some(.none): record.keeping.takenAt = nil
            case nil: break
            }
            if let rotation = correction.rotation { record.keeping.rotation = rotation }
            switch correction.edit {
            case .said(let edit): record.keeping.edit = edit.isNone ? nil : edit
            case .some(.none): record.keeping.edit = nil
            case nil: break
            }
        }
    }

    /// Moves the clocks of cameras that were wrong: each photo from where it stands in the timeline.
    /// - Throws: `takenAtInvalid` when one would be moved to where none can have been taken.
    package mutating func shift(_ serials: [UInt64], minutes: Int) throws -> Int {
        var count = 0
        var moved: Set<UInt64> = []
        for serial in serials {
            guard let photo = try currentOrKept(serial), moved.insert(photo.serial).inserted else { continue }
            var time =
                photo.takenAt.flatMap(CaptureTime.init(encoded:))
                ?? CaptureTime(
                    milliseconds: photo.shownAt, isInstant: false, source: .person)
            let (difference, isLarge) = Int64(minutes).multipliedReportingOverflow(by: 60_000)
            let (sum, isBeyond) = time.milliseconds.addingReportingOverflow(difference)
            time.milliseconds = sum
            time.source = .person
            guard !isLarge, !isBeyond, time.canBeSaid(now: Int64(bitPattern: Milliseconds.now)) else {
                throw VaultError.takenAtInvalid
            }
            try update(at: photo.rowNumber) { [time] in $0.say(takenAt: time) }
            count += 1
        }
        return count
    }
}
