/// A socket that the service manager has opened for us.
package struct InheritedSocket: Sendable, Equatable {
    package let descriptor: CInt
    /// From LISTEN_FDNAMES; empty where none is given.
    package let name: String

    package init(descriptor: CInt, name: String) {
        self.descriptor = descriptor
        self.name = name
    }
}
