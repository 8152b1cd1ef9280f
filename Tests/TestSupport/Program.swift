import Foundation

/// A program that a test runs to its end.
///
/// Not Foundation's `Process`: on Linux it lists /proc/self/fd and copies 256 bytes from every entry, behind the end of
/// the list as well, which ends a test process that has some 1,350 descriptors open.
package struct Program {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package let path: String
    package let arguments: [String]

    package init(_ path: String, _ arguments: [String]) {
        self.path = path
        self.arguments = arguments
    }

    /// Returns what the program printed. What it says of errors is dropped.
    /// - Throws: `Failure` if it does not start or does not end with 0.
    @discardableResult
    package func run() throws -> String {
        let (status, output) = try finish()
        guard status == 0 else { throw failure("wait status \(status)") }
        return output
    }

    /// However it ends.
    /// - Throws: `Failure` if it does not start.
    package func finish() throws -> (status: Int32, output: String) {
        let folder = try TemporaryFolder()
        let process = try start(output: folder.file("output").path)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { throw failure("lost: \(errno)") }
        }
        return (status, String(decoding: try folder.bytes("output"), as: UTF8.self))
    }

    /// The output goes to a file: a pipe's end could be inherited by a program that another test starts meanwhile.
    private func start(output: String) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT, 0o600)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)

        var words = ([path] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var process = pid_t()
        let code = posix_spawn(&process, path, &actions, nil, words, environ)
        guard code == 0 else { throw failure("does not start: \(code)") }
        return process
    }

    private func failure(_ reason: String) -> Failure {
        Failure(description: "\(([path] + arguments).joined(separator: " ")): \(reason)")
    }
}
