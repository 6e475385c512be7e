"""Grades a person's games: certain cells found or missed, which guesses were bad, and by how much."""

from sweepbot.review.games import GameReview, Moment, played_by_person, review_games
from sweepbot.review.grading import Grade, Graded

__all__ = ["GameReview", "Grade", "Graded", "Moment", "played_by_person", "review_games"]
