import Discovery
import Glibc

/// What the terminal on standard output can show.
struct Screen {
    let columns: Int
    let colours: QRCode.TerminalColours

    /// Nil when standard output is no terminal.
    static func current() -> Screen? {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return Screen(columns: isKnown ? Int(size.ws_col) : 80, colours: colours)
    }

    /// https://no-color.org
    private static var colours: QRCode.TerminalColours {
        let terminal = variable("TERM")
        return terminal.isEmpty || terminal == "dumb" || !variable("NO_COLOR").isEmpty ? .own : .fixed
    }

    private static func variable(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
}
