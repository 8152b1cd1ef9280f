import FoundationEssentials
import Records

/// How photos move in from elsewhere.
struct MovingPayload: Encodable, Sendable {
    /// For a shell on the host, without the names of files.
    let command: String
    /// Nil as long as nothing was imported.
    let last: LastImportPayload?
}

/// What the last import proved.
struct LastImportPayload: Encodable, Sendable {
    /// RFC 3339.
    let at: String
    let proof: ImportProofPayload

    init(_ record: LastImportRecord) {
        at = CivilTime(Date(timeIntervalSince1970: Double(record.at) / 1000)).rfc3339
        proof = ImportProofPayload(record)
    }
}
