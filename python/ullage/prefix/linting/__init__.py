"""The rules of `ullage.lint`, one idea a file. Each takes a `Subject` and yields a `Finding` for all it finds."""
