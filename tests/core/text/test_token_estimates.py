"""Estimates: the careful one is checked against what the embedded model's tokenizer really made of texts."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loomapp.core.text.token_counts import LONG, careful_estimate, estimate

# Counted by the engine's /tokenize (SmolLM2-135M-Instruct), so that this needs no engine.
COUNTED = {
    "我们在海边散步，看见三只海鸥。它们飞得很高，好像在寻找什么。"
    "你知道它们在找什么吗？今天的天气非常好，适合出门。": 1050,
    "私たちは海辺を歩いて、三羽のカモメを見ました。とても高く飛んでいました。": 650,
    "우리는 바닷가를 걸으며 갈매기 세 마리를 보았다.": 590,
    "Мы гуляли по берегу моря и увидели трёх чаек. Они летели очень высоко, словно искали что-то.": 730,
    "مشينا على شاطئ البحر ورأينا ثلاثة نوارس.": 420,
    "Wir gingen am Strand spazieren und sahen drei Möwen, die größer als üblich waren. "
    "Übermäßig schöne Straßenverkäufer grüßten uns.": 570,
    "Nous marchions le long de la plage, et voilà trois mouettes très élégantes qui s'élevaient à côté de "
    "l'été.": 440,
    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53 ": 611,
}


@pytest.mark.parametrize("text", COUNTED)
def test_the_careful_estimate_is_hardly_ever_too_low_and_not_much_too_high(text: str) -> None:
    counted = COUNTED[text]
    assert 0.95 * counted <= careful_estimate(text * 10) <= 1.35 * counted
    assert estimate(text * 10) < 0.85 * counted, "where the other one is of no use"


@given(st.text())
def test_no_tokenizer_makes_more_of_a_text_than_its_bytes(text: str) -> None:
    assert 0 <= careful_estimate(text) <= len(text.encode("utf-8", "surrogatepass"))


def test_the_careful_estimate_remembers_what_it_found_of_a_long_text_and_not_the_text() -> None:
    text = "Once upon a time. " * (LONG // 10)
    kept = sys.getrefcount(text)

    found = careful_estimate(text)

    assert sys.getrefcount(text) == kept
    assert careful_estimate("".join(list(text))) == found
    assert careful_estimate(text[:LONG]) < found
