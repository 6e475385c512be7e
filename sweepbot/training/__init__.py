"""Drawn skins, and how the network of first sight is trained on them. Nothing at run time imports this room."""
