/// Which kind of device a session came from, as coarsely as a person needs to know it again: two names out of short
/// lists, so that nothing that a client says of itself is kept or shown.
package struct DeviceKind: Hashable, Sendable {
    package enum System: UInt8, Sendable {
        case iPhone = 1
        case iPad, android, windows, mac, linux, chromeOS
    }

    package enum Browser: UInt8, Sendable {
        case safari = 1
        case chrome, firefox, edge, samsung, opera
    }

    package var system: System?
    package var browser: Browser?

    package init(system: System? = nil, browser: Browser? = nil) {
        self.system = system
        self.browser = browser
    }

    package var bytes: [UInt8] { [system?.rawValue ?? 0, browser?.rawValue ?? 0] }

    /// What a later version knows by other numbers is nothing that is known.
    package init(bytes: some Collection<UInt8>) {
        system = bytes.first.flatMap(System.init)
        browser = bytes.dropFirst().first.flatMap(Browser.init)
    }
}
