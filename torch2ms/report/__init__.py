"""Outcomes of runs as something to read: text, diffs, JSON, SARIF, GitHub annotations, Markdown, HTML."""
