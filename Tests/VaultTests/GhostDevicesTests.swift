import Testing

@testable import Sealing
@testable import Vault

@Suite("Devices of the daemon's own vaults")
struct GhostDevicesTests {
    @Test("have keys of few devices, and some of nobody; one cookie is given out for each vault")
    func seeds() throws {
        var (devices, drawn) = (GhostDevices(), UInt8(0))
        let draw: () -> [UInt8] = {
            drawn += 1
            return Array(repeating: drawn, count: 32)
        }
        let keys = try (0..<200).map { _ in try devices.nextKey(draw) }
        let ofDevices = keys.compactMap(\.self)
        #expect((50..<150).contains(ofDevices.count))
        #expect(ofDevices.count { $0.seed == 0 } == GhostVaults.mostOfDevice)
        let secrets = try ofDevices.map { try devices.secret(of: $0).withUnsafeBytes { Array($0) } }
        #expect(Set(secrets).count == ofDevices.count)
        let may = (0..<4).map { devices.mayTake(for: [UInt8($0 / 2)]) }
        #expect(may == [true, false, true, false])
        let cookies = (0..<2).map { _ in devices.takeCookie() }
        #expect(cookies[0] == Array(repeating: 1, count: 32) && cookies[1] != cookies[0])
        let isNew = devices.noteKnown(try #require(cookies[0]))
        #expect(!isNew)
    }
}
