"""What a comparison of given cases says first."""

import numpy as np

import baserate as br


def said(*given, **known):
    return " ".join(str(br.compare(*given, **known)).split())


def test_constant_rules_among_the_classifiers_hide_no_price_at_which_others_are_worth_it():
    truth = np.repeat([1, 0], [140, 560])
    found = np.tile([1, 1, 1, 1, 0], 28)
    rules = {
        "scan": np.concatenate((found, np.tile([1, 0, 0, 0, 0], 112))),
        "old": np.concatenate((found, np.tile([1, 1, 0, 0, 0], 112))),
        "all": np.ones(700, int),
        "none": np.zeros(700, int),
    }

    def told(*names, begun, **stakes):
        text = said(truth, {name: rules[name] for name in names}, **stakes)
        return text[text.index(begun) :].split(" Positive:")[0]

    depends = told("scan", "old", "all", begun="Worth using depends")
    assert "scan beats deciding always the same if a miss costs between" in depends
    assert "old if a miss costs between" in depends
    assert told(*rules, begun="Worth using depends") == depends
    assert told("all", "none", begun="Whether any is worth using")
    rare = {"cost": {"fn": 0.01, "fp": 1}}
    assert "scan (P > 0.999)" in told(*rules, begun='Always saying "0" costs', **rare)
