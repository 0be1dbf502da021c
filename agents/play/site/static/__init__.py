"""What JavaScript loads beside a module."""
