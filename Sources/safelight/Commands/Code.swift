import ArgumentParser
import Glibc
import Listener
import Vaults

struct Code: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the setup code that another device needs to create a vault.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
        try await reportingFailures {
            let settings = try await options.settings()
            guard let code = SetupCode.read(dataPath: settings.vaults.dataPath) else {
                throw StartFailure(
                    description:
                        "There is no setup code in \(settings.vaults.dataPath). It is made at the first start of the daemon."
                )
            }
            Terminal.print(code.text)
        }
    }
}

/// Turns what cannot be used into a sentence on standard error and its exit code.
func reportingFailures(_ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch let error as ExitCode {
        throw error
    } catch let error as SettingsError {
        Terminal.complain(error.description)
        throw ExitCode.unusable
    } catch let error as StartFailure {
        Terminal.complain(error.description)
        throw error.isOfDisk ? ExitCode.incomplete : ExitCode.unusable
    } catch let error as ListenerError {
        Terminal.complain("\(error)")
        throw ExitCode.temporary
    } catch VaultError.passwordEmpty {
        Terminal.complain("No password was typed.")
        throw ExitCode.refused
    } catch VaultError.noSuchVault, VaultError.passwordTooLong, VaultError.passwordNotUTF8 {
        Terminal.complain("That password opens no vault here.")
        throw ExitCode.refused
    } catch VaultError.tooManyAttempts(let wait) {
        Terminal.complain("Too many attempts. Try again in \(wait.components.seconds + 1) seconds.")
        throw ExitCode.refused
    } catch {
        Terminal.complain("\(error)")
        throw ExitCode.unusable
    }
}
