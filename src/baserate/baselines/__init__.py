"""Baselines: named guesses, and how far a score is beyond them."""

from baserate._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from baserate.baselines.class_independence import independence_test as independence_test
    from baserate.baselines.draw_tables import dutch_draw as dutch_draw
    from baserate.baselines.guessing import random_guess as random_guess
    from baserate.baselines.multiclass import dutch_draw_multiclass as dutch_draw_multiclass
    from baserate.baselines.multiclass import random_guess_multiclass as random_guess_multiclass
    from baserate.baselines.rescaled import dutch_scaler as dutch_scaler
    from baserate.baselines.rescaled import skill as skill
    from baserate.baselines.significance import beats_chance as beats_chance
else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "class_independence": ("independence_test",),
            "draw_tables": ("dutch_draw",),
            "guessing": ("random_guess",),
            "multiclass": ("dutch_draw_multiclass", "random_guess_multiclass"),
            "rescaled": ("dutch_scaler", "skill"),
            "significance": ("beats_chance",),
        },
    )
