"""Pictures: charts for a terminal, figures for a file."""
