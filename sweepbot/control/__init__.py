"""What all who click share: the guard, keys, dialogs, the client's window, and waiting for what comes of a click."""
