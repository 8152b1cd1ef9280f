import CQRCode

/// A QR code of a text, with error correction of level M.
package struct QRCode: Sendable {
    /// The text does not fit into any QR code (2331 bytes), is empty, or memory is short.
    package struct NotEncodable: Error {}

    /// Light modules that a reader needs on every side (ISO/IEC 18004).
    static let quietZone = 4

    /// Modules on a side, without the quiet zone.
    package let size: Int
    private let modules: [Bool]

    package init(_ text: String) throws(NotEncodable) {
        let bytes = Array(text.utf8)
        guard let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M) else { throw NotEncodable() }
        defer { QRcode_free(code) }
        size = Int(code.pointee.width)
        modules = UnsafeBufferPointer(start: code.pointee.data, count: size * size).map { $0 & 1 == 1 }
    }

    /// False also for what lies outside: the quiet zone.
    package func isDark(x: Int, y: Int) -> Bool {
        (0..<size).contains(x) && (0..<size).contains(y) && modules[y * size + x]
    }
}
