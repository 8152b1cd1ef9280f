import ArgumentParser
import Glibc
import Import
import Printing
import Store
import Threads
import Web

/// `safelight import --door`: what lies in a folder goes through a door, and no vault is opened.
extension ImportCommand {
    private static let usualRest = 60

    /// - Throws: `ValidationError` for what does not belong together.
    func validateDoor() throws {
        guard door != nil else {
            guard !take, still == nil else { throw ValidationError("--take and --still belong to --door.") }
            return
        }
        guard source.count == 1, source[0].hasPrefix("/") else {
            throw ValidationError("Through a door goes one folder, named by its whole path.")
        }
        guard album == nil, !keepFolders, dates == .sidecar, allServices, report == nil, passwordFd == nil else {
            throw ValidationError(
                "Through a door files go as they are; it takes no other options than --still and --take.")
        }
        guard still ?? 0 >= 0 else { throw ValidationError("--still takes a number of seconds.") }
    }

    func send(throughDoorOf file: String) async throws {
        let dataPath = try await options.settings().vaults.dataPath
        let pool = BlockingPool(name: "import", threads: 1)
        do {
            try await send(throughDoorOf: file, dataPath, pool)
        } catch {
            await pool.shutdown()
            throw error
        }
        await pool.shutdown()
    }

    private func send(throughDoorOf file: String, _ dataPath: String, _ pool: BlockingPool) async throws {
        guard ConsoleSocket(dataPath: dataPath).isListenedTo else {
            Terminal.complain("Safelight does not run, so nothing was sent. What lies there stays.")
            throw ExitCode.incomplete
        }
        let (place, daemon) = (source[0], DaemonClient(dataPath: dataPath))
        let result: Result<FolderRun.Summary, any Error>
        do {
            let run = try await pool.run { [take, rest = Duration.seconds(still ?? Self.usualRest)] in
                let code = try DoorCodeFile.read(file)
                return FolderRun(
                    try Self.folder(place), name: place.split(separator: "/").last.map(String.init) ?? "files",
                    taken: try TakenFiles(dataPath: dataPath, dropPath: place, door: code),
                    door: DaemonDoor(daemon, code: code), rest: rest, removes: take, pool: pool)
            }
            result = .success(try await run.run())
        } catch {
            result = .failure(error)
        }
        do {
            try await report(result, of: place, to: daemon)
        } catch {
            Terminal.complain("Health does not show how this run ended (\(error)).")
        }
        await daemon.close()
        do {
            try show(try result.get(), of: place)
        } catch is TakenFiles.InUse {
            Terminal.print("Another run over \(place) goes on.")
        } catch let error as ImportError {
            Terminal.complain("\(place): \(error.description).")
            throw ExitCode.temporary
        }
    }

    /// Blocking.
    private static func folder(_ path: String) throws -> DropFolder {
        if let missing = FileSystemTable.missingMountPoint(above: path) {
            throw ImportError.source("the disk of \(missing) is not mounted")
        }
        return try DropFolder(path: path)
    }

    private func report(
        _ result: Result<FolderRun.Summary, any Error>, of place: String, to daemon: DaemonClient
    ) async throws {
        let trouble: String?
        switch result {
        case .success(let summary): trouble = summary.trouble
        // It says itself how it ended.
        case .failure(is TakenFiles.InUse): return
        case .failure(is DoorCodeFile.Unusable): trouble = "the door's code cannot be read"
        case .failure(is ImportError): trouble = "the folder is not there"
        case .failure: trouble = "it fails"
        }
        _ = try await daemon.ask(
            .PUT, "/import/door/report", nil, DaemonClient.Nothing.self,
            ImportPayload.DropReport(folder: place, trouble: trouble))
    }

    private func show(_ summary: FolderRun.Summary, of place: String) throws {
        if summary.sent > 0 || isatty(STDOUT_FILENO) == 1 {
            let files = Figure.count(summary.sent, "file of \(place) was sent", "files of \(place) were sent")
            Terminal.print("\(files)\(take ? ", and deleted there" : "").")
        }
        guard let trouble = summary.trouble else { return }
        Terminal.complain("\(place): \(trouble).")
        if summary.failure != nil { throw ExitCode.damaged }
    }
}
