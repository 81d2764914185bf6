"""NeMo Lens as data: its generations, its settings, and how each framework hands them on."""
