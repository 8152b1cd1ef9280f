package import Records

extension VaultChange {
    /// Lists a way that is not listed yet.
    package mutating func add(_ way: WayRecord) throws {
        var way = way
        way.rowNumber = takeNumber()
        try put(way)
        draft.ways.append(way)
    }

    /// It is not listed any more, and sessions that outlive the daemon and came that way are dead.
    package mutating func removeWay(_ id: WayID) throws {
        if id == .first { draft.head.slotSets = [] }
        for way in draft.ways where way.id == id { try makeEmpty(way.rowNumber) }
        draft.ways.removeAll { $0.id == id }
        try forgetSessions { $0.way == id }
    }

    package mutating func changeSlotSets(of id: WayID, _ body: (inout [SlotSet]) -> Void) throws {
        if id == .first { return body(&draft.head.slotSets) }
        guard let index = draft.ways.firstIndex(where: { $0.id == id }) else { throw VaultError.noSuchWay }
        let before = draft.ways[index]
        body(&draft.ways[index].slotSets)
        if draft.ways[index] != before { try put(draft.ways[index]) }
    }

    private mutating func put(_ way: WayRecord) throws {
        let payload = way.payload
        guard payload.count <= RowPiece.payloadLimit else { throw VaultError.internalFailure("a way is too long") }
        try put(RowPiece(kind: .way, payload: payload), at: way.rowNumber)
    }
}
