"""`sweepbot doctor`: can this machine be played on?"""
