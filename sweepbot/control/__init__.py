"""Operating a client: guarded clicks and keys, its dialogs and its window, and waiting for the screen to change."""
