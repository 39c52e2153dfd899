"""Baselines: named guesses, and how far a score is beyond them."""

from baserate._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from baserate.baselines.as_many_alarms import chance_by_alarms as chance_by_alarms
    from baserate.baselines.class_deals import ClassPValue as ClassPValue
    from baserate.baselines.class_independence import IndependenceTest as IndependenceTest
    from baserate.baselines.class_independence import independence_test as independence_test
    from baserate.baselines.draws import DutchDraw as DutchDraw
    from baserate.baselines.draws import dutch_draw as dutch_draw
    from baserate.baselines.draws import sample_labels as sample_labels
    from baserate.baselines.guessing import GUESSES as GUESSES
    from baserate.baselines.guessing import RandomGuess as RandomGuess
    from baserate.baselines.guessing import chosen_guess as chosen_guess
    from baserate.baselines.guessing import random_guess as random_guess
    from baserate.baselines.multiclass import MulticlassChance as MulticlassChance
    from baserate.baselines.multiclass import dutch_draw_multiclass as dutch_draw_multiclass
    from baserate.baselines.multiclass import random_guess_multiclass as random_guess_multiclass
    from baserate.baselines.perfect_labeller import DutchScale as DutchScale
    from baserate.baselines.perfect_labeller import dutch_scaler as dutch_scaler
    from baserate.baselines.rescaled import Skill as Skill
    from baserate.baselines.rescaled import skill as skill
    from baserate.baselines.significance import BeatsChance as BeatsChance
    from baserate.baselines.significance import beats_chance as beats_chance
else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "as_many_alarms": ("chance_by_alarms",),
            "class_deals": ("ClassPValue",),
            "class_independence": ("IndependenceTest", "independence_test"),
            "draws": ("DutchDraw", "dutch_draw", "sample_labels"),
            "guessing": ("GUESSES", "RandomGuess", "chosen_guess", "random_guess"),
            "multiclass": ("MulticlassChance", "dutch_draw_multiclass", "random_guess_multiclass"),
            "perfect_labeller": ("DutchScale", "dutch_scaler"),
            "rescaled": ("Skill", "skill"),
            "significance": ("BeatsChance", "beats_chance"),
        },
    )
