internal import GRDB
import Glibc

/// Doors, and the notes by which vaults find what was given at them. Both are sealed, each kind is of one size.
extension LedgerTransaction {
    /// Bytes of a door's body.
    package static let doorByteCount = 1792
    /// Bytes of an arrival's body.
    package static let arrivalByteCount = 1392
    /// The last day of a door is at most so many days ahead; beyond it, it is kept as long as a session.
    package static let mostDoorDays: UInt32 = 366

    /// Inserts or replaces.
    /// - Parameter expiresDay: days since 1970: the last day on which it is kept.
    package func putDoor(_ id: DoorID, body: [UInt8], expiresDay: UInt32) throws {
        try requireSize(body, Self.doorByteCount, "a door")
        try recording {
            try database.run(
                "INSERT OR REPLACE INTO door (id, body, expires_day) VALUES (?, ?, ?)",
                [.id(id), .blob(body), .integer(Int64(expiresDay))])
        }
    }

    package func door(_ id: DoorID) throws -> [UInt8]? { try recording { try LedgerReader(database).door(id) } }

    package func deleteDoor(_ id: DoorID) throws {
        try recording { try database.run("DELETE FROM door WHERE id = ?", [.id(id)]) }
    }

    /// - Parameter space: the guest's space that it tells of.
    package func putArrival(_ space: RowID, body: [UInt8], expiresDay: UInt32) throws {
        try requireSize(body, Self.arrivalByteCount, "an arrival")
        try recording {
            try database.run(
                "INSERT OR REPLACE INTO arrival (id, body, expires_day) VALUES (?, ?, ?)",
                [.id(space), .blob(body), .integer(Int64(expiresDay))])
        }
    }

    package func deleteArrival(_ space: RowID) throws {
        try recording { try database.run("DELETE FROM arrival WHERE id = ?", [.id(space)]) }
    }

    /// Random rows that nobody holds a token for: without them the number of doors would tell how many there are. Their
    /// last days are drawn as people choose them: most are near.
    func addCoverDoors(_ count: Int, today: UInt32) throws {
        for _ in 0..<count {
            let ahead = UInt32(exp2(Double.random(in: 0...log2(Double(Self.mostDoorDays)))))
            try putDoor(
                .random(), body: try randomBytes(Self.doorByteCount),
                expiresDay: today + ahead + LedgerSchema.sessionDays)
        }
    }

    func expireDoors(before day: UInt32) throws {
        try database.run("DELETE FROM door WHERE expires_day < ?", [.integer(Int64(day))])
        try database.run("DELETE FROM arrival WHERE expires_day < ?", [.integer(Int64(day))])
    }

    private func requireSize(_ body: [UInt8], _ byteCount: Int, _ what: String) throws {
        guard body.count == byteCount else {
            throw StoreError.ioFailed(operation: "storing \(what) of \(body.count) bytes", errno: EINVAL)
        }
    }
}

extension LedgerReader {
    package func door(_ id: DoorID) throws -> [UInt8]? {
        try translatingLedgerErrors { try database.blob("SELECT body FROM door WHERE id = ?", [.id(id)]) }
    }

    package func arrival(_ space: RowID) throws -> [UInt8]? {
        try translatingLedgerErrors { try database.blob("SELECT body FROM arrival WHERE id = ?", [.id(space)]) }
    }

    /// The spaces that tell of themselves, which are those of all guests.
    package func arrivals() throws -> [RowID] {
        try translatingLedgerErrors {
            var found: [RowID] = []
            try database.forEachBlobs("SELECT id FROM arrival", columns: 1) { blobs in
                if let id = RowID(bytes: blobs[0]) { found.append(id) }
            }
            return found
        }
    }
}
