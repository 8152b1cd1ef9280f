import Imaging
import NIOCore
import Records
import Synchronization

/// A photo's content for whoever looks into it, until it is let go of: then its keys are gone, whoever still holds this.
package final class PhotoSource: ImagingSource {
    package let byteCount: UInt64
    private let threads: SealingThreads
    private let isAwaited: Bool
    private let reader: Mutex<ObjectReader?>

    package init(_ reader: ObjectReader, byteCount: UInt64, threads: SealingThreads, isAwaited: Bool) {
        self.reader = Mutex(reader)
        self.byteCount = byteCount
        self.threads = threads
        self.isAwaited = isAwaited
    }

    /// Every chunk is verified before a byte of it leaves.
    /// - Throws: `damaged`, `sessionEnded` once it was let go of.
    package func read(at offset: UInt64, count: Int) async throws -> [UInt8] {
        guard offset < byteCount, count > 0 else { return [] }
        let end = min(byteCount, clampedSum(offset, UInt64(count)))
        return try await threads.readObject(isAwaited: isAwaited) { [self] in
            guard let reader = reader.withLock({ $0 }) else { throw VaultError.sessionEnded }
            return Array(try reader.read(offset..<end).readableBytesView)
        }
    }

    /// A read that runs is the last one.
    package func letGo() {
        let last = reader.withLock { reader in
            defer { reader = nil }
            return reader
        }
        last?.forgetCached()
    }
}
