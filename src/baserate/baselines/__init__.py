"""Baselines: named guesses, and how far a score is beyond them."""

from baserate.baselines.draws import DutchDraw, dutch_draw, sample_labels
from baserate.baselines.guessing import GUESSES, RandomGuess, chosen_guess, random_guess
from baserate.baselines.multiclass import (
    MulticlassChance,
    dutch_draw_multiclass,
    random_guess_multiclass,
)
from baserate.baselines.rescaled import DutchScale, Skill, dutch_scaler, skill
from baserate.baselines.significance import BeatsChance, beats_chance

__all__ = [
    "GUESSES",
    "BeatsChance",
    "DutchDraw",
    "DutchScale",
    "MulticlassChance",
    "RandomGuess",
    "Skill",
    "beats_chance",
    "chosen_guess",
    "dutch_draw",
    "dutch_draw_multiclass",
    "dutch_scaler",
    "random_guess",
    "random_guess_multiclass",
    "sample_labels",
    "skill",
]
