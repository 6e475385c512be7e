"""The machine's screen and mouse. The rest of sweepbot knows them only as the protocols `Screen` and `Mouse`."""
