"""Evidence localisation: watch probability flow to the words that answer a question about a document."""
