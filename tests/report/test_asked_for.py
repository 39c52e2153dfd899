"""What a call asks for by name is on the first screen of its answer."""

import baserate as br


def three_classes(**asked):
    """Evaluate counts whose F1 are 16/19, 8/13 and 6/8."""
    table = br.ClassTable([[8, 2, 0], [1, 4, 1], [0, 1, 3]], labels=["cat", "dog", "fox"])
    return br.evaluate(table, **asked)


def test_a_metric_of_each_class_leads_and_has_its_table():
    found = three_classes(metrics="f1")
    said, table = found.render().split("Each class against the rest\n")
    assert said.startswith('F1 of each class against the rest: 0.62 ("dog") to 0.84 ("cat").')
    assert [row.split()[-1] for row in table.splitlines() if row.startswith('"')] == [
        f"{value:.2f}" for value in (16 / 19, 8 / 13, 6 / 8)
    ]


def test_metrics_of_classes_that_nobody_named_do_not_lead():
    assert "F1 of each class" not in three_classes().render()
    assert three_classes(metrics="macro_f1").render().startswith("Macro F1 is")
