import Testing

@testable import Certificates
