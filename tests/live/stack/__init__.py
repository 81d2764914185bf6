"""The real services of the live tests: built once into a cache outside the clone, started on demand."""
