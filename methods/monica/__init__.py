"""MONICA: watch sycophancy drift in step by step while a model reasons, and hold it back."""
