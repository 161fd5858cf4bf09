"""Other projects' test suites against torchpaged: `make test-peers`."""
