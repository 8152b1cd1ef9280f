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
