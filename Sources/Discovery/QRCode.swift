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

extension QRCode {
    /// A complete SVG document, quiet zone included: black on white whatever lies behind it. It has no size of its own.
    package var svg: String {
        let side = size + 2 * Self.quietZone
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">\
            <rect width="\(side)" height="\(side)" fill="#fff"/><path d="\(path)"/></svg>
            """
    }

    /// One rectangle for every run of dark modules in a row.
    private var path: String {
        var path = ""
        for y in 0..<size {
            var x = 0
            while x < size {
                let start = x
                while isDark(x: x, y: y) { x += 1 }
                if x > start {
                    path += "M\(start + Self.quietZone) \(y + Self.quietZone)h\(x - start)v1h-\(x - start)z"
                }
                x += 1
            }
        }
        return path
    }
}

extension QRCode {
    /// How a terminal shows the two kinds of modules.
    package enum TerminalColours: Sendable {
        /// Black on white, whatever the terminal's own colours are: entries 16 and 231 of the 256 colours, which themes
        /// leave alone.
        case fixed
        /// The terminal's own: its text must be lighter than its background.
        case own
    }

    /// Columns of `terminal`.
    package var terminalWidth: Int { size + 2 * Self.quietZone }

    /// Lines of half blocks, each of two rows of modules, with the quiet zone.
    package func terminal(_ colours: TerminalColours) -> String {
        let range = -Self.quietZone..<size + Self.quietZone
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { y in
            let row = range.map { x in
                // What is drawn is black with fixed colours, and the light part with the terminal's own.
                switch colours {
                case .fixed: block(upper: isDark(x: x, y: y), lower: isDark(x: x, y: y + 1))
                case .own: block(upper: !isDark(x: x, y: y), lower: !isDark(x: x, y: y + 1) && y + 1 < range.upperBound)
                }
            }
            return colours == .fixed ? "\u{1B}[38;5;16;48;5;231m\(row.joined())\u{1B}[0m" : row.joined()
        }.joined(separator: "\n")
    }

    private func block(upper: Bool, lower: Bool) -> String {
        switch (upper, lower) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }
}
