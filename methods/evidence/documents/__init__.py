"""Pictures and PDF files as pages: one loader, one frame (upright pixels) for everything that follows."""
