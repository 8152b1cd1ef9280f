import Testing

@testable import Listener
