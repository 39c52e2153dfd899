"""The published schema is that of the records, and documents keep it."""

import json

import jsonschema
import numpy as np
import pytest
from sklearn.datasets import load_wine

import baserate as br
from docs.scripts import module

SCHEMA = module("json_schema")
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA.schema())
RNG = np.random.default_rng(4)
TRUTH = RNG.random(60) < 0.4
CALLED = TRUTH ^ (RNG.random(60) < 0.2)
WINE = load_wine().target

DOCUMENTS = {
    "labels": lambda: br.evaluate(TRUTH, CALLED, groups=np.arange(60) % 3),
    "scores": lambda: br.evaluate(TRUTH, score=np.clip(CALLED * 0.6 + RNG.random(60) * 0.4, 0, 1)),
    "undefined": lambda: br.evaluate([1, 1, 0], [0, 0, 0]),
    "weights": lambda: br.evaluate(TRUTH, CALLED, weight=RNG.random(60) + 0.5),
    "clusters": lambda: br.evaluate(TRUTH, CALLED, cluster=np.arange(60) // 4),
    "tables": lambda: br.evaluate({"a": br.ConfusionMatrix(tp=3, fn=1, fp=2, tn=4)}),
    "classes": lambda: br.evaluate(WINE, np.roll(WINE, 9), groups=np.arange(len(WINE)) % 2),
}


def test_what_is_published_is_what_the_records_are():
    published = json.loads(SCHEMA.PAGE.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(published)
    assert published == json.loads(json.dumps(SCHEMA.schema()))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_keep_the_schema(name):
    document = json.loads(json.dumps(DOCUMENTS[name]().to_dict()))
    VALIDATOR.validate(document)


def test_a_document_that_lacks_a_field_does_not():
    document = br.evaluate(TRUTH, CALLED).to_dict()
    del document["table"]
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(document)
