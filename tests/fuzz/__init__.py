"""Fuzzing: inputs made by grammars and by mutation of the corpora, for every entry point of the product."""
