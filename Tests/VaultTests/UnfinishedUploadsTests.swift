import Sealing
import Testing

@testable import Records
@testable import Vault

@Suite("The unfinished uploads of a vault")
struct UnfinishedUploadsTests {
    @Test("one that moved while a request finished it does not stay among the unfinished ones")
    func finishedWhileMoving() throws {
        let (from, to) = (UnfinishedUploads(), UnfinishedUploads())
        let record = UploadRecord(id: try UploadID(), creation: nil, byteCount: 10, name: "a")
        let upload = try UnfinishedUpload(
            record, fileKey: SharedSecret(try SecretBytes(random: 32)), expiresDay: 1, isStored: true)
        #expect(from.add(upload))
        // The vault has not been told of it yet.
        to.remove(upload)
        from.moveAll(to: to)
        #expect(to.count == 0 && to.byteCount == 0)
    }
}
