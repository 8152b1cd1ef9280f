import Content
import Media
package import Records
import Sealing
import Store
package import Vault

/// Many small requests make many runs, and the upload's row lists each. Before that gets long, what is there is sealed
/// again in one run, in a new object under a new file key.
package struct Compaction {
    private static let fewRuns = 256
    /// Cheap to seal again: runs that are smaller than this on average.
    private static let smallRun: UInt64 = 64 << 10
    /// However much it costs: a longer row would cost more.
    private static let mostRuns = 16_384

    package static func isDue(_ record: UploadRecord) -> Bool {
        let count = record.runs.count
        guard count >= fewRuns else { return false }
        return record.offset < UInt64(count) * smallRun || count >= mostRuns
    }

    package let upload: UnfinishedUpload
    package let vault: OpenVault

    package init(upload: UnfinishedUpload, vault: OpenVault) {
        self.upload = upload
        self.vault = vault
    }

    /// Seals anew what is there; for whoever holds the upload's lock.
    package func run() async throws {
        let (record, fileKey, store) = (upload.record, upload.fileKey, vault.store)
        let reader = try await vault.engine.threads.run {
            let content = PhotoRecord(
                serial: 0, object: record.object ?? .random(), byteCount: record.offset, runs: record.runs,
                name: record.name, type: MediaType.other.mimeType, receivedAt: 0)
            return try ObjectReader(record: content, fileKey: fileKey.bytes, store: store, allowsMore: true)
        }
        let resealing = try await Resealing(reader, byteCount: record.offset, engine: vault.engine, .request)
        do {
            while try await resealing.step() {}
            try await UploadCommit(upload, vault).replaceObject(
                with: try await resealing.close(isWhole: false), resealing.lane)
        } catch {
            await resealing.discard()
            throw error
        }
    }
}
