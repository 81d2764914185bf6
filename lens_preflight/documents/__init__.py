"""Files of text that keep the line of each value: YAML as Go reads it, JSON, and where they come from."""

from lens_preflight.documents.json_reader import JsonDocument, read_json
from lens_preflight.documents.sources import Text, read_texts
from lens_preflight.documents.tree import Malformed, Mapping, Node, Scalar, Sequence
from lens_preflight.documents.yaml_reader import read_yaml

__all__ = [
    "JsonDocument",
    "Malformed",
    "Mapping",
    "Node",
    "Scalar",
    "Sequence",
    "Text",
    "read_json",
    "read_texts",
    "read_yaml",
]
