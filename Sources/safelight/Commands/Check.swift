import ArgumentParser
import NIOCore
import Printing
import Records
import Store
import Unlocking

struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Verifies a data directory; with --password, opens and verifies every photo of one vault too.",
        discussion:
            "Exit codes: 0 sound, 1 damaged, 64 usage, 77 wrong password, 78 unusable configuration or data. The daemon must be stopped."
    )

    @OptionGroup var options: StoreOptions

    @Flag(help: "Ask for a password and open everything in its vault.")
    var password = false

    func run() async throws {
        try await reportingFailures {
            let settings = try await options.settings()
            let typed = password ? try PasswordPrompt.read("Password: ") : nil
            var isSound = try await checkStore(settings.vaults.dataPath)
            if let typed { isSound = try await checkVault(settings, typed) && isSound }
            Terminal.print(isSound ? "Sound." : "Damaged.")
            if !isSound { throw ExitCode.damaged }
        }
    }

    private func checkStore(_ path: String) async throws -> Bool {
        let findings = try await StoreWork.run("Store ") { progress in
            try StoreCheck.run(path: path, progress: progress)
        }
        return Self.show(findings)
    }

    /// - Returns: whether nothing is lost.
    static func show(_ findings: [Finding]) -> Bool {
        for finding in findings {
            Terminal.print("\(finding.severity == .damage ? "DAMAGE" : "note  ") \(finding.text)")
        }
        return !findings.contains { $0.severity == .damage }
    }

    private func checkVault(_ settings: Settings, _ password: Password) async throws -> Bool {
        let vault = try await OfflineVault.open(settings, password: password)
        let lost = vault.lostEntries
        for line in lost { Terminal.print("\(line)") }
        var isSound = lost.isEmpty
        let photos = try await vault.photos() + vault.session.trash.all()
        let total = photos.reduce(0) { $0 + $1.byteCount }
        var done: UInt64 = 0
        var bar = ProgressBar("Photos")
        for photo in photos {
            do {
                let original = try await vault.session.photos.original(photo.id)
                var offset: UInt64 = 0
                while offset < original.byteCount {
                    let bytes = try await original.read(at: offset, atMost: 1 << 20)
                    offset += UInt64(bytes.readableBytes)
                    bar.show(done + offset, of: total)
                }
            } catch VaultError.damaged {
                isSound = false
                Terminal.print("DAMAGE \(photo.name)")
            }
            done += photo.byteCount
        }
        bar.finish()
        await vault.close()
        Terminal.print("\(photos.count) photos opened and verified.")
        return isSound
    }
}
