"""From a position to the best move: certain cells by named rules, exact chances, and the strongest guess."""
