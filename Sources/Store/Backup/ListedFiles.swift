/// The files in `objects` that a ledger counts as alive.
struct ListedFiles {
    /// Finished, and never changed again. In the order of their ids, as the folders are.
    let objects: [ObjectID]
    /// Of unfinished uploads.
    let parts: [ObjectID]

    init(ledger: ImmutableLedger) throws(StoreError) {
        var objects: Set<ObjectID> = []
        var parts: Set<ObjectID> = []
        try ledger.forEachObject { objects.insert($0) }
        try ledger.forEachID(column: "object", of: "guest") { objects.insert($0) }
        try ledger.forEachID(column: "part", of: "upload") { parts.insert($0) }
        self.objects = Self.sorted(objects)
        self.parts = Self.sorted(parts.subtracting(objects))
    }

    private static func sorted(_ ids: Set<ObjectID>) -> [ObjectID] {
        ids.sorted { ($0.high, $0.low) < ($1.high, $1.low) }
    }
}
