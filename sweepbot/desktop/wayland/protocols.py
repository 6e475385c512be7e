"""The interfaces that are used of the protocols of Wayland, of wlroots and of virtual keyboards.

Requests after the last one used are left out, and so are the events of later versions.
"""

from sweepbot.desktop.wayland.wire import Interface

SHM = Interface("wl_shm", {"create_pool": "nhi"}, {"format": "u"})
SHM_POOL = Interface("wl_shm_pool", {"create_buffer": "niiiiu"}, {})
BUFFER = Interface("wl_buffer", {"destroy": ""}, {"release": ""})
SEAT = Interface("wl_seat", {}, {"capabilities": "u"})
OUTPUT = Interface("wl_output", {}, {"geometry": "iiiiissi", "mode": "uiii", "done": "", "scale": "i"}, version=2)

XDG_OUTPUT_MANAGER = Interface("zxdg_output_manager_v1", {"destroy": "", "get_xdg_output": "no"}, {}, version=2)
XDG_OUTPUT = Interface(
    "zxdg_output_v1",
    {},
    {"logical_position": "ii", "logical_size": "ii", "done": "", "name": "s", "description": "s"},
)
"""It has a name since version 2."""

SCREENCOPY_MANAGER = Interface("zwlr_screencopy_manager_v1", {"capture_output": "nio"}, {})
SCREENCOPY_FRAME = Interface(
    "zwlr_screencopy_frame_v1",
    {"copy": "o", "destroy": ""},
    {"buffer": "uuuu", "flags": "u", "ready": "uuu", "failed": ""},
)

VIRTUAL_POINTER_MANAGER = Interface(
    "zwlr_virtual_pointer_manager_v1",
    {"create_virtual_pointer": "on", "destroy": "", "create_virtual_pointer_with_output": "oon"},
    {},
    version=2,
)
VIRTUAL_POINTER = Interface(
    "zwlr_virtual_pointer_v1",
    {"motion": "uii", "motion_absolute": "uuuuu", "button": "uuu", "axis": "uui", "frame": ""},
    {},
)

VIRTUAL_KEYBOARD_MANAGER = Interface("zwp_virtual_keyboard_manager_v1", {"create_virtual_keyboard": "on"}, {})
VIRTUAL_KEYBOARD = Interface("zwp_virtual_keyboard_v1", {"keymap": "uhu", "key": "uuu", "modifiers": "uuuu"}, {})
