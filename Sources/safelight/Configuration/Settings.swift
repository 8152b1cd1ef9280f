import ArgumentParser
import Configuration
import Content
import FoundationEssentials
import Glibc
import Imaging
import Listener
import Logging
import Records
import Releases
import ServiceManager
import Store
import SystemPackage
import Upgrades
import Web

/// What the configuration says, checked.
struct Settings {
    private static let defaultFile = "/etc/safelight/safelight.yaml"

    var vaults: VaultConfiguration
    let listen: [Endpoint]
    let listenerLimits: ListenerLimits
    /// Nil where the host makes its own.
    let ownCertificate: CertificateFiles?
    let plainHTTP: WebConfiguration.PlainHTTP
    let proxies: TrustedProxies
    let wwwPath: String?
    /// Below which a proxy shows the page.
    let base: PageBase
    let hostNames: [String]
    /// Whom people ask: an address or a few words. Nil where the page names nobody.
    let contact: String?
    /// Where figures are served besides the socket in the data directory; on this host only.
    let metricsListen: Endpoint?
    let logLevel: Logger.Level
    /// Nil where nobody looks into photos.
    let imaging: ImagingConfiguration?
    /// Nil where no feed is asked.
    let upgrade: UpgradeSettings?
    /// The bucket that everything goes along to; nil where this disk is all there is.
    let objects: ObjectsSettings?

    /// - Parameter arguments: keys given on the command line; they come first.
    /// - Throws: `SettingsError` that names the key.
    init(file: String?, arguments: [Setting: ConfigValue]) async throws {
        let values = try await Self.reader(file: file, arguments: arguments)
        vaults = try Self.vaults(values)
        listen = try (values.list(.listen) ?? ["127.0.0.1:8080"]).map(Endpoint.init(listen:))
        metricsListen = try values.text(.metricsListen).map(Endpoint.init(metricsListen:))
        listenerLimits = try Self.listenerLimits(values)
        ownCertificate = try CertificateFiles(values)
        plainHTTP = try Self.plainHTTP(values)
        proxies = try Self.proxies(values)
        wwwPath = values.text(.www)
        base = try Self.base(values)
        hostNames = values.list(.hosts) ?? []
        contact = try Self.contact(values)
        logLevel = try Self.logLevel(values)
        imaging = try Self.imaging(values)
        upgrade = try UpgradeSettings(values)
        objects = try ObjectsSettings(values)
    }

    /// Command line, environment, file.
    static func reader(file: String?, arguments: [Setting: ConfigValue]) async throws -> SettingReader {
        try ConfigurationFile.check(file ?? Self.defaultFile)
        let reader = ConfigReader(providers: [
            InMemoryProvider(
                name: "arguments",
                values: Dictionary(
                    uniqueKeysWithValues: arguments.map { (AbsoluteConfigKey($0.key.keyComponents), $0.value) }
                )),
            EnvironmentVariablesProvider().prefixKeys(with: "safelight"),
            try await FileProvider<YAMLSnapshot>(
                filePath: FilePath(file ?? Self.defaultFile), allowMissing: file == nil),
        ])
        return SettingReader(reader)
    }

    /// Where the host keeps the certificates that it makes.
    var certificateFolder: String { vaults.dataPath + "/tls" }

    /// What lies below `debug` would say what photos are called, and what lies above `error` is never said.
    private static func logLevel(_ values: SettingReader) throws -> Logger.Level {
        guard let text = values.text(.logLevel) else { return .info }
        guard let level = Logger.Level(rawValue: text), (.debug ... .error).contains(level) else {
            throw SettingsError(key: .logLevel, problem: "must be debug, info, notice, warning or error")
        }
        return level
    }

    private static func vaults(_ values: SettingReader) throws -> VaultConfiguration {
        guard let data = values.text(.data), !data.isEmpty else {
            throw SettingsError(key: .data, problem: "is required (--data DIR)")
        }
        var configuration = VaultConfiguration(
            dataPath: data.hasSuffix("/") && data.count > 1 ? String(data.dropLast()) : data)
        if let text = values.text(.registration) {
            guard let registration = Registration(rawValue: text) else {
                throw SettingsError(key: .registration, problem: "must be code, open or local")
            }
            configuration.registration = registration
        }
        configuration.takesGuests = try values.isOn(.guests) ?? true
        configuration.pepperPath = values.text(.pepperFile) ?? Credentials.current.path(of: "safelight.pepper")
        if let reserve = try values.number(.reserve, in: 1...1 << 20) {
            configuration.reserveByteCount = UInt64(reserve) << 20
        }
        configuration.cover = try values.number(.cover, in: 0...1 << 20).map { .upTo(UInt64($0) << 20) } ?? .byDisk
        configuration.coverComesByItself = try values.isOn(.coverIdle) ?? false
        configuration.backupDays = try values.number(.backupAge, in: 0...36_500)
        configuration.limits = try limits(values)
        if let memory = try values.number(.unsafeKDFMemory, in: 8...4 << 20) {
            let iterations = try values.number(.unsafeKDFIterations, in: 1...16) ?? 1
            configuration.unsafeKDF = UnsafeKDF(iterations: UInt32(iterations), memoryKiB: UInt32(memory))
        }
        configuration.coversLittle = try values.isOn(.unsafeCover) == false
        return configuration
    }

    private static func base(_ values: SettingReader) throws -> PageBase {
        guard let text = values.text(.base), text != "/" else { return .none }
        guard let base = PageBase(text) else {
            throw SettingsError(key: .base, problem: "must be a path such as /photos, of letters, digits and -_.~")
        }
        return base
    }

    /// One line that a page can show.
    private static func contact(_ values: SettingReader) throws -> String? {
        guard let text = values.text(.contact) else { return nil }
        let isLine = !text.unicodeScalars.contains { scalar in
            [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
        }
        guard isLine, (1...200).contains(text.count), text.contains(where: { !$0.isWhitespace }) else {
            throw SettingsError(key: .contact, problem: "must be one line of 1 to 200 characters")
        }
        return text
    }

    private static func limits(_ values: SettingReader) throws -> VaultLimits {
        var limits = VaultLimits()
        if let size = try values.number(.limitFile, in: 1...16 << 20) { limits.fileByteCount = UInt64(size) << 20 }
        if let count = try values.number(.limitUploads, in: 1...4096) { limits.uploadsInFlight = count }
        if let share = try values.number(.limitVaultShare, in: 1...100) {
            limits.vaultShareOfDisk = Double(share) / 100
        }
        if let count = try values.number(.limitNewVaults, in: 0...100_000) { limits.newSecrets = count }
        if let size = try values.number(.limitGuest, in: 1...16 << 20) { limits.guestByteCount = UInt64(size) << 20 }
        if let size = try values.number(.limitGuests, in: 1...16 << 20) {
            limits.allGuestsByteCount = UInt64(size) << 20
        }
        if let count = try values.number(.limitNewGuests, in: 0...100_000) { limits.newGuestsPerDay = count }
        if let minutes = try values.number(.idleLock, in: 1...100_000) { limits.idleLock = .seconds(minutes * 60) }
        if let hours = try values.number(.absoluteLock, in: 1...10_000) { limits.absoluteLock = .seconds(hours * 3600) }
        if let days = try values.number(.trashDays, in: 1...3650) { limits.trashDays = days }
        return limits
    }
}

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

extension Settings {
    private static let pictureProgram = "safelight-imaging"
    private static let videoProgram = "safelight-imaging-video"
    private static let wordProgram = "safelight-imaging-words"
    private static let archiveProgram = "safelight-archives"

    /// Of 2 GB some is the firmware's.
    private static let leastKiBForWords: UInt64 = 1_800_000_000 / 1024

    /// What commands ask to unpack what they do not unpack themselves.
    static func unpacker() throws -> Unpacker {
        Unpacker(executable: "\(try Page.programFolder())/\(archiveProgram)")
    }

    /// Nil where nobody looks into photos.
    static func imaging(_ values: SettingReader) throws -> ImagingConfiguration? {
        let available = AvailableMemory.kiB().map { $0 * 1024 }
        let workers =
            try values.number(.imagingWorkers, in: 0...64)
            ?? ImagingConfiguration.defaultWorkerCount(
                processorCount: ProcessInfo.processInfo.activeProcessorCount,
                availableByteCount: available)
        guard workers > 0 else { return nil }
        let folder = try Page.programFolder()
        let allowed = AvailableMemory.mostKiB(of: ProcessInfo.processInfo.physicalMemory / 1024)
        let readsWords = try values.isOn(.imagingWords) ?? (allowed >= leastKiBForWords)
        return ImagingConfiguration(
            pictureExecutable: values.text(.imagingExecutable) ?? "\(folder)/\(pictureProgram)",
            videoExecutable: values.text(.imagingVideoExecutable) ?? "\(folder)/\(videoProgram)",
            wordExecutable: readsWords ? "\(folder)/\(wordProgram)" : nil,
            workerCount: workers,
            limits: ImagingConfiguration.defaultLimits(availableByteCount: available))
    }
}

/// Where newer versions are announced.
struct UpgradeSettings {
    let feed: FeedAddress
    let judge: FeedJudge
    let client: FeedClient

    /// Nil where no feed is named.
    init?(_ values: SettingReader) throws {
        let keyText = values.text(.upgradeKey)
        let authorityPath = values.text(.upgradeAuthority)
        guard let text = values.text(.upgradeFeed) else {
            for (setting, value) in [(Setting.upgradeKey, keyText), (.upgradeAuthority, authorityPath)]
            where value != nil {
                throw SettingsError(key: setting, problem: "is of use only where upgrade.feed is given")
            }
            return nil
        }
        guard let feed = FeedAddress(text) else {
            throw SettingsError(key: .upgradeFeed, problem: "must be an https address of a file, without a query")
        }
        let key = keyText.flatMap { FeedKey($0) }
        guard keyText == nil || key != nil else {
            throw SettingsError(key: .upgradeKey, problem: "must be an Ed25519 public key in base64")
        }
        guard let running = SemanticVersion(Version.text) else {
            throw SettingsError(key: .upgradeFeed, problem: "needs a running version that can be compared")
        }
        self.feed = feed
        judge = FeedJudge(running: running, key: key)
        client = FeedClient(feed, asksForSignature: key != nil, authorityPath: authorityPath)
    }
}

/// Where the files of the page lie.
enum Page {
    /// Beside an installed program (../share/safelight/www), else in the checkout that the program was built in.
    static func defaultFolder() throws -> String {
        var folder = try programFolder()
        var candidates = ["\(folder)/../share/safelight/www"]
        while let slash = folder.lastIndex(of: "/"), slash > folder.startIndex {
            folder = String(folder[..<slash])
            candidates.append("\(folder)/www")
        }
        guard let found = candidates.first(where: { access("\($0)/index.html", R_OK) == 0 }) else {
            throw StartFailure(description: "The files of the page were not found; name their folder (--www DIR).")
        }
        return found
    }

    /// The table by which places are named: beside the folder of the page, as both are installed and packed.
    static func placesPath(beside folder: String) -> String { "\(folder)/../places.bin" }

    /// The folder that this program lies in.
    static func programFolder() throws -> String {
        guard let path = realpath("/proc/self/exe", nil) else {
            throw StartFailure(
                description: "The program's own path cannot be read; name the folder of the page (--www DIR).")
        }
        defer { free(path) }
        let program = String(cString: path)
        return String(program[..<(program.lastIndex(of: "/") ?? program.startIndex)])
    }
}
