from kb.answer.extract.glossary import is_vendor, variants_of
from kb.answer.extract.terms import Term, Text


def test_words_of_both_languages_stand_for_each_other():
    assert "bandwidth" in variants_of("带宽").latin
    assert "带宽" in variants_of("bandwidth").chinese
    assert variants_of("k8s").latin == ("kubernet",)  # as a search term
    assert variants_of("nothing") == variants_of("")


def test_vendors():
    assert is_vendor("昇腾")
    assert is_vendor("nvidia")
    assert not is_vendor("带宽")


def test_a_term_is_found_by_its_variants_a_little_less():
    term = Term("单价", 1.0, variants=variants_of("单价"), is_chinese=True)
    assert term.share_in(Text.of("单价（元）")) == 1
    assert 0 < term.share_in(Text.of("unit price, USD")) < 1
    assert term.share_in(Text.of("partition")) == 0
    assert term.crosses


def test_codes_are_compared_whole():
    a100 = Term("a100", 1.0)
    assert a100.share_in(Text.of("A100-SXM4-80GB")) == 1
    assert a100.share_in(Text.of("A1000")) == 0
    gddr7 = Term("gddr7", 1.0)
    assert gddr7.share_in(Text.of("GDDR6")) == 0
