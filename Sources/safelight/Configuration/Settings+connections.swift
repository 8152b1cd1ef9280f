import Listener
import ServiceManager
import Web

extension Settings {
    static func listenerLimits(_ values: SettingReader) throws -> ListenerLimits {
        var limits = ListenerLimits()
        if let count = try values.number(.limitConnections, in: 1...65_536) { limits.strangerConnectionCount = count }
        if let count = try values.number(.limitDeviceConnections, in: 1...65_536) {
            limits.deviceConnectionCount = count
        }
        if let count = try values.number(.limitAddressConnections, in: 1...65_536) {
            limits.addressConnectionCount = count
        }
        if let rate = try values.number(.limitRate, in: 1...1 << 20) { limits.byteRate = rate << 10 }
        if let seconds = try values.number(.limitHeader, in: 1...3600) { limits.headerTime = .seconds(seconds) }
        return limits
    }

    static func plainHTTP(_ values: SettingReader) throws -> WebConfiguration.PlainHTTP {
        guard let text = values.text(.transportHTTP) else { return .landing }
        guard let value = WebConfiguration.PlainHTTP(rawValue: text) else {
            throw SettingsError(key: .transportHTTP, problem: "must be landing or allow")
        }
        return value
    }

    static func proxies(_ values: SettingReader) throws -> TrustedProxies {
        guard let proxies = TrustedProxies(values.list(.proxies) ?? []) else {
            throw SettingsError(key: .proxies, problem: "must be addresses, networks such as 10.0.0.0/8, or unix")
        }
        return proxies
    }
}

/// Where the owner keeps a certificate and its key.
struct CertificateFiles {
    let certificatePath: String
    let keyPath: String

    /// What the configuration names comes first, then what the service manager hands over. Nil where there is neither.
    init?(_ values: SettingReader) throws {
        let credentials = Credentials.current
        let certificate = values.text(.tlsCertificate) ?? credentials.path(of: "safelight.tls-certificate")
        let key = values.text(.tlsKey) ?? credentials.path(of: "safelight.tls-key")
        switch (certificate, key) {
        case (nil, nil): return nil
        case (let certificate?, let key?):
            certificatePath = certificate
            keyPath = key
        case (nil, _): throw SettingsError(key: .tlsCertificate, problem: "is required where tls.key is given")
        case (_, nil): throw SettingsError(key: .tlsKey, problem: "is required where tls.certificate is given")
        }
    }
}
