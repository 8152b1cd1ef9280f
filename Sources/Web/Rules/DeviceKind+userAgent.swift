import Records

extension DeviceKind {
    /// From the `User-Agent` field. Browsers claim to be each other: who claims less comes later in these lists. An iPad
    /// says that it is a Mac.
    init(userAgent: String?) {
        let text = userAgent ?? ""
        self.init(
            system: Self.systems.first { text.contains($0.word) }?.system,
            browser: Self.browsers.first { text.contains($0.word) }?.browser)
    }

    private static let systems: [(word: String, system: System)] = [
        ("iPhone", .iPhone), ("iPad", .iPad), ("Android", .android), ("CrOS", .chromeOS), ("Windows", .windows),
        ("Macintosh", .mac), ("Linux", .linux),
    ]

    private static let browsers: [(word: String, browser: Browser)] = [
        ("SamsungBrowser/", .samsung), ("OPR/", .opera), ("Edg", .edge), ("Firefox/", .firefox), ("FxiOS/", .firefox),
        ("Chrome/", .chrome), ("CriOS/", .chrome), ("Safari/", .safari),
    ]
}

extension DeviceKind.System {
    /// The name as its maker writes it.
    var name: String {
        switch self {
        case .iPhone: "iPhone"
        case .iPad: "iPad"
        case .android: "Android"
        case .windows: "Windows"
        case .mac: "Mac"
        case .linux: "Linux"
        case .chromeOS: "ChromeOS"
        }
    }
}

extension DeviceKind.Browser {
    var name: String {
        switch self {
        case .safari: "Safari"
        case .chrome: "Chrome"
        case .firefox: "Firefox"
        case .edge: "Edge"
        case .samsung: "Samsung Internet"
        case .opera: "Opera"
        }
    }
}
