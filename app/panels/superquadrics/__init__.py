"""The superquadric studio."""
