package import Foundation
package import Store
package import TestSupport

/// A store in a temporary folder, opened as the daemon does, with a small reserve and a clock that tests move.
package final class SampleStore {
    package static let day: UInt32 = 20_000
    package let folder: TemporaryFolder
    package let clock = SampleClock()
    package var coverSessionCount = 0
    package var fillsSlots = false
    /// The bucket that everything goes along to.
    package var tier: TierConfiguration?
    /// Sentences for the log.
    package let notes = Box<[String]>([])
    package private(set) var opened: Store?
    private var hasCrashed = false

    package var path: String { folder.path + "/data" }

    package init(_ folder: TemporaryFolder? = nil) throws {
        self.folder = try folder ?? TemporaryFolder()
    }

    package var configuration: StoreConfiguration {
        var configuration = StoreConfiguration(
            path: path, reserveByteCount: 1 << 20, floorByteCount: 0, coverRowCount: 70,
            coverSessionCount: { [coverSessionCount] in coverSessionCount },
            coverSessionCountAtBirth: { [coverSessionCount] in coverSessionCount },
            note: { [notes] note in notes.change { $0.append(note) } },
            today: { [clock] in clock.today }, uptime: { [clock] in clock.uptime })
        configuration.fillsSlots = fillsSlots
        // Many stores are open at once.
        configuration.filesMadeAtOnce = 1
        configuration.tier = tier
        return configuration
    }

    package static func header() -> HostHeader {
        HostHeader(
            createdDay: day, hostSalt: [UInt8](repeating: 7, count: 16),
            kdfRecords: [[UInt8](repeating: 9, count: 32)])
    }

    @discardableResult
    package func open() throws -> StartupReport {
        while true {
            do {
                let (store, report) = try Store.open(configuration) { Self.header() }
                opened = store
                return report
            } catch StoreError.inUse where hasCrashed {
                // A program that another test is just starting has the lock's descriptor until it runs.
                usleep(1000)
            }
        }
    }

    package var store: Store {
        get throws {
            guard let opened else { throw StoreError.unusable("the sample is not open") }
            return opened
        }
    }

    package func close() throws {
        try opened?.close()
        opened = nil
    }

    /// Ends without any of the work of `close`, as a killed process does: descriptors close, nothing else happens.
    package func crash() {
        opened = nil
        hasCrashed = true
    }

    package func file(_ name: String) -> URL { URL(fileURLWithPath: path).appendingPathComponent(name) }
}
