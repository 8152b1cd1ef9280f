import Records
import Sealing
import Store

extension OpenVault {
    /// Blocking. Finds this vault's unfinished uploads among those of all: a row is its own if it opens.
    func loadUploads() throws {
        try store.ledger.readBlocking { reader in
            try reader.forEachUpload { id, body, part, expiresDay in
                let opened = try? body.withUnsafeBytes { try openUpload($0, id: id) }
                // A row whose column names another file than the sealed one was tampered with.
                guard let (record, fileKey) = opened, record.object == part else { return }
                uploads.load(
                    try UnfinishedUpload(record, fileKey: fileKey, expiresDay: expiresDay, isStored: true))
            }
        }
        for upload in uploads.all { findPart(of: upload.record) }
    }

    /// Somebody may have put an older ledger in place, and then this one again. Where the disk fails, the upload does
    /// when it goes on; nobody is kept from the photos.
    private func findPart(of record: UploadRecord) {
        guard let object = record.object, (try? store.objects.byteCount(of: object)) == nil else { return }
        _ = try? store.objects.restoreFromQuarantine(object)
    }

    /// After a sweep: what the ledger has no longer keeps no room, and no place in a batch, either.
    package func forgetSweptUploads() async throws {
        for upload in uploads.all where upload.isStored && upload.expiresDay < store.today {
            // Whoever has the lock finds out.
            guard upload.lock.acquireIfFree() else { continue }
            defer { upload.lock.release() }
            if try await !store.ledger.read({ try $0.containsUpload(upload.rowID) }) { uploads.remove(upload) }
        }
    }
}
