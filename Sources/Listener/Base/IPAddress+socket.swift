package import Bytes
package import NIOCore

extension IPAddress {
    /// Nil for unix sockets.
    package init?(_ address: SocketAddress) {
        // Behind family and port (4 bytes); for IPv6 also behind the flow label (4).
        let range: Range<Int>
        switch address {
        case .v4: range = 4..<8
        case .v6: range = 8..<24
        case .unixDomainSocket: return nil
        }
        let bytes = address.withSockAddr { start, count in
            range.upperBound <= count ? Array(UnsafeRawBufferPointer(start: start, count: count)[range]) : []
        }
        self.init(bytes: bytes)
    }
}
