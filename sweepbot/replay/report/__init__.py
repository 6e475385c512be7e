"""A run to be looked at: as a page that opens in any browser, and as a moving picture."""
