"""Where a keyboard has its keys, by the keymap that a desktop sends."""

import pytest

from sweepbot.desktop.keys import held_together, keycode
from sweepbot.errors import DesktopError

KEYMAP = """
xkb_keymap {
xkb_keycodes "(unnamed)" {
	minimum = 8;
	maximum = 708;
	<AD01>               = 24;
	<AC01>               = 38;
	<LCTL>               = 37;
	<FK02>               = 68;
	indicator 1 = "Caps Lock";
	alias <LatQ>         = <AD01>;
};
xkb_symbols "pc_azerty" {
	key <AD01>               {	[               a,               A,              ae,              AE ] };
	key <FK02>               {
		type= "CTRL+ALT",
		symbols[Group1]= [              F2,              F2,              F2,              F2, XF86Switch_VT_2 ]
	};
	key <AC01>               {
		symbols[Group1]= [               q,               Q ],
		symbols[Group2]= [       Cyrillic_ef,     Cyrillic_EF ]
	};
	key <LCTL>               {	[       Control_L ] };
	modifier_map Control { <LCTL> };
};
};
"""


@pytest.mark.parametrize(("key", "code"), [("a", 16), ("q", 30), ("f2", 60), ("ctrl", 29)])
def test_a_key_is_found_where_the_layout_has_it(key: str, code: int) -> None:
    """On a French keyboard a is where others have q; codes are Linux's."""
    (found,) = held_together(key)
    assert keycode(found, KEYMAP) == code


@pytest.mark.parametrize(
    ("key", "code"), [("q", 16), ("l", 38), ("m", 50), ("0", 11), ("f2", 60), ("f10", 68), ("f11", 87), ("enter", 28)]
)
def test_our_own_keyboard_has_linux_codes(key: str, code: int) -> None:
    """Our own keyboard is a US one with Linux's key codes."""
    (found,) = held_together(key)
    assert (found.us_code, found.modifier) == (code, 0)


@pytest.mark.parametrize(("key", "modifier"), [("shift", 1), ("ctrl", 4), ("alt", 8)])
def test_modifiers_have_xkbs_bits(key: str, modifier: int) -> None:
    """Modifiers have the bits that XKB gives them on every keyboard."""
    assert [found.modifier for found in held_together(key)] == [modifier]


def test_a_key_that_the_layout_lacks_is_refused() -> None:
    """A key that the layout lacks is an error; nothing else is pressed instead."""
    (missing,) = held_together("n")
    with pytest.raises(DesktopError, match="no key 'n'"):
        keycode(missing, KEYMAP)


@pytest.mark.parametrize(("key", "number"), [("n", 0x6E), ("f2", 0xFFBF), ("enter", 0xFF0D)])
def test_symbols_have_the_numbers_of_x11(key: str, number: int) -> None:
    """Symbols have X11's numbers, which the portal uses."""
    assert [found.keysym for found in held_together(key)] == [number]


def test_an_unknown_key_is_refused() -> None:
    """An unknown key is an error that lists the known ones."""
    with pytest.raises(DesktopError, match="there is no key 'ä'"):
        held_together("ctrl+ä")
