import Bytes
import Testing

@testable import Records

@Suite("Whose attempts are counted together")
struct ClientTests {
    @Test("loopback is known in every spelling, and a /64 from elsewhere counts as one address")
    func addresses() {
        let mapped = { (ipv4: UInt64) in IPAddress(high: 0, low: 0xffff_0000_0000 | ipv4) }
        #expect(ClientAddress.ip(.ipv4(127, 0, 0, 9)).isLoopback)
        #expect(ClientAddress.ip(IPAddress(high: 0, low: 1)).isLoopback)
        #expect(ClientAddress.ip(mapped(0x7f00_0001)).isLoopback)
        #expect(!ClientAddress.ip(mapped(0x0a00_0001)).isLoopback)
        #expect(!ClientAddress.ip(.unspecified).isLoopback)
        func counted(_ address: ClientAddress, neighbour: [UInt8]? = nil) -> [UInt8] {
            Client(address: address, neighbour: neighbour).throttleBytes
        }
        #expect(counted(.ip(mapped(0x0a00_0001))) == counted(.ip(.ipv4(10, 0, 0, 1))))
        let network: UInt64 = 0x2001_0db8_0000_0001
        let (one, other) = (IPAddress(high: network, low: 1), IPAddress(high: network, low: 2))
        #expect(counted(.ip(one)) == counted(.ip(other)))
        // Devices of this network share their /64 with the whole house.
        #expect(counted(.ip(one), neighbour: [1]) != counted(.ip(other), neighbour: [2]))
    }
}
