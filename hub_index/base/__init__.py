"""What every room may use: text without surprises, files opened safely, locks, names of packages."""
