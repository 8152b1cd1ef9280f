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
