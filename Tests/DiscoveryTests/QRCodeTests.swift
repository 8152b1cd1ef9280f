import Testing

@testable import Discovery

@Suite("A QR code")
struct QRCodeTests {
    private let code: QRCode

    init() throws { code = try QRCode("http://192.168.1.20:8080/#code=ABCD-EFGH") }

    @Test("has the three finder patterns in its corners and none in the fourth")
    func finderPatterns() {
        let pattern = ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"]
        func corner(_ left: Int, _ top: Int) -> [String] {
            (0..<7).map { y in String((0..<7).map { x in code.isDark(x: left + x, y: top + y) ? "#" : "." }) }
        }
        let last = code.size - 7
        #expect(corner(0, 0) == pattern)
        #expect(corner(last, 0) == pattern)
        #expect(corner(0, last) == pattern)
        #expect(corner(last, last) != pattern)
    }

    @Test("takes 42 bytes in 29 modules, which is level M")
    func levelM() throws {
        #expect(try QRCode(String(repeating: "a", count: 42)).size == 29)
        #expect(try QRCode(String(repeating: "a", count: 43)).size == 33)
    }

    @Test("is light all around")
    func quietZone() {
        #expect(!code.isDark(x: -1, y: 0))
        #expect(!code.isDark(x: 0, y: -1))
        #expect(!code.isDark(x: code.size, y: 0))
        #expect(!code.isDark(x: 0, y: code.size))
    }

    @Test("refuses what no QR code holds", arguments: ["", String(repeating: "a", count: 2332)])
    func notEncodable(text: String) {
        #expect(throws: QRCode.NotEncodable.self) { try QRCode(text) }
    }

    @Test("fits, with an address and the setup code, into a terminal of 80 columns and 24 lines")
    func fitsATerminal() throws {
        let long = try QRCode("http://a-rather-long-hostname.local:8080/#code=ABCD-EFGH")
        #expect(long.terminalWidth <= 80)
        #expect(long.terminal(.fixed).split(separator: "\n").count <= 23)
    }

    @Test("sets black and white for every line and takes them back at its end")
    func fixedColours() {
        for line in code.terminal(.fixed).split(separator: "\n") {
            #expect(line.hasPrefix("\u{1B}[38;5;16;48;5;231m"))
            #expect(line.hasSuffix("\u{1B}[0m"))
        }
    }

    @Test("shows the same modules as half blocks and as SVG", arguments: [true, false])
    func renderings(isFixed: Bool) {
        let drawn = Self.modules(ofTerminal: code.terminal(isFixed ? .fixed : .own), inkIsDark: isFixed)
        let vector = Self.modules(ofSVG: code.svg, side: code.terminalWidth)
        let expected = (0..<code.terminalWidth).map { y in
            (0..<code.terminalWidth).map { x in code.isDark(x: x - 4, y: y - 4) }
        }
        #expect(drawn == expected)
        #expect(vector == expected)
    }

    @Test("is one path on white in SVG")
    func svg() {
        #expect(code.svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 37 37\""))
        #expect(code.svg.split(separator: "<path").count == 2)
        #expect(code.svg.contains("fill=\"#fff\""))
    }

    private static func modules(ofTerminal text: String, inkIsDark: Bool) -> [[Bool]] {
        var rows: [[Bool]] = []
        for line in text.split(separator: "\n") {
            let blocks = line.filter { "█▀▄ ".contains($0) }
            rows.append(blocks.map { ($0 == "█" || $0 == "▀") == inkIsDark })
            rows.append(blocks.map { ($0 == "█" || $0 == "▄") == inkIsDark })
        }
        // A side is odd: the lower half of the last line shows nothing.
        return rows.dropLast()
    }

    private static func modules(ofSVG svg: String, side: Int) -> [[Bool]] {
        var modules = [[Bool]](repeating: [Bool](repeating: false, count: side), count: side)
        let path = svg.split(separator: "d=\"")[1].split(separator: "\"")[0]
        for run in path.split(separator: "M") {
            let numbers = run.split { !$0.isNumber }.compactMap { Int($0) }
            for x in numbers[0]..<numbers[0] + numbers[2] { modules[numbers[1]][x] = true }
        }
        return modules
    }
}
