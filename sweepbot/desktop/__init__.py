"""The machine's screen, mouse and windows. The rest of sweepbot knows them only by their protocols."""
