"""One hand for all who click: the guard, clicks, keys, dialogs, new games, and waiting for what comes of them."""
