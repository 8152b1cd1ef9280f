import Testing

@testable import ServiceManager

@Suite("Sockets that the service manager has opened")
struct InheritedSocketTests {
    private func announced(_ environment: [String: String]) -> [InheritedSocket] {
        InheritedSocket.announced(by: environment, processID: 4711)
    }

    @Test("start at descriptor 3, one after the other, with their names")
    func descriptorsAndNames() {
        let sockets = announced(["LISTEN_PID": "4711", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "web:local"])
        #expect(
            sockets == [InheritedSocket(descriptor: 3, name: "web"), InheritedSocket(descriptor: 4, name: "local")])
    }

    @Test("have empty names where fewer are given")
    func missingNames() {
        #expect(announced(["LISTEN_PID": "4711", "LISTEN_FDS": "2"]).map(\.name) == ["", ""])
        #expect(
            announced(["LISTEN_PID": "4711", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "web"]).map(\.name) == ["web", ""])
    }

    @Test("are left alone when they are meant for another process, such as our parent")
    func otherProcess() {
        #expect(announced(["LISTEN_PID": "4712", "LISTEN_FDS": "1"]).isEmpty)
        #expect(announced(["LISTEN_FDS": "1"]).isEmpty)
    }

    @Test(
        "are none when the variables make no sense",
        arguments: ["", "0", "-1", "two", "2147483647", "99999999999999999999"])
    func nonsense(count: String) {
        #expect(announced(["LISTEN_PID": "4711", "LISTEN_FDS": count]).isEmpty)
    }

    @Test("are none without the variables")
    func none() throws {
        #expect(try InheritedSocket.takeAll().isEmpty)
    }
}
