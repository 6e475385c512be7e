"""Writing a calibration, and adding to one."""
