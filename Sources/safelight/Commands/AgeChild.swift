import Glibc
import Records
import Threads

/// The program `age` (age-encryption.org), which encrypts what it is given on standard input. What is given exists
/// nowhere but in this process, the pipe, and that program.
///
/// `@unchecked Sendable`: its owner awaits each call before the next.
final class AgeChild: @unchecked Sendable {
    private let process: pid_t
    private var input: CInt
    private var hasEnded = false

    /// Blocking.
    /// - Parameters:
    ///   - recipients: as `age --recipient` takes them.
    ///   - files: as `age --recipients-file` takes them.
    ///   - output: where what is encrypted goes.
    /// - Throws: `StartFailure` where there is no such program.
    init(recipients: [String], files: [String], output: CInt) throws {
        // One that ends early is told by what a write says.
        signal(SIGPIPE, SIG_IGN)
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError("pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        input = ends[1]
        let words =
            ["age", "--encrypt"] + recipients.flatMap { ["--recipient", $0] }
            + files.flatMap { ["--recipients-file", $0] }
        do {
            process = try Self.start(words, input: ends[0], output: output)
        } catch {
            close(ends[0])
            close(ends[1])
            throw error
        }
        close(ends[0])
    }

    deinit { abandon() }

    private static func start(_ words: [String], input: CInt, output: CInt) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        guard posix_spawn_file_actions_init(&actions) == 0 else { throw SystemError("posix_spawn") }
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        // It asks nothing of the environment.
        var environment: [UnsafeMutablePointer<CChar>?] = [nil]
        var process: pid_t = 0
        let error = posix_spawnp(&process, "age", &actions, nil, &arguments, &environment)
        guard error != ENOENT else {
            throw StartFailure(
                description: "The program age is not installed (apt install age); nothing was written.", isOfDisk: false
            )
        }
        guard error == 0 else {
            errno = error
            throw SystemError("posix_spawn")
        }
        return process
    }

    /// Blocking.
    /// - Throws: `AgeFailure` where it takes no more.
    func write(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(input, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw AgeFailure() }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Blocking: all was given; waits for its end.
    /// - Throws: `AgeFailure` where it says that it failed.
    func finish() throws {
        close(input)
        input = -1
        guard wait() == 0 else { throw AgeFailure() }
    }

    /// Ends it before it could make a whole archive of a part.
    func abandon() {
        guard !hasEnded else { return }
        kill(process, SIGKILL)
        if input >= 0 { close(input) }
        input = -1
        _ = wait()
    }

    private func wait() -> CInt {
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        hasEnded = true
        return status
    }
}

/// What it has to say of it stands on standard error.
struct AgeFailure: Error {}
