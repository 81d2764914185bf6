"""The words that everything else is said in; imports nothing of ours."""
