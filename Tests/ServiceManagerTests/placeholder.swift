import Testing

@testable import ServiceManager
