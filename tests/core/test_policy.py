"""A policy is one line of text that decides the result."""

import pytest

from chunkfilter import Policy
from chunkfilter.errors import InputError, PolicyError
from chunkfilter.policy import RULES, Term
from chunkfilter.rules.rule import Rule


def test_every_rule_that_can_be_written_is_implemented() -> None:
    assert all(isinstance(Term(name).rule, Rule) for name in RULES)


@pytest.mark.parametrize(
    "text",
    [
        "exact",
        "exact@paper",
        "coverage",
        "minhash@0.9",
        "random@0.2",
        "exact|random@0.2",
        "exact keep=longest scope=tenant,acl blank=keep window=190 max_removed=0.5",
        "similarity@0.9+ner keep=longest scope=tenant,acl guards=none",
        "exact keep=newest:date",
        "coverage window=none",
    ],
)
def test_the_canonical_text_of_a_policy_is_read_back_as_the_same_policy(text: str) -> None:
    policy = Policy.parse(text)
    assert str(policy) == text
    assert Policy.parse(str(policy)) == policy
    assert Policy.parse(policy) is policy


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("  exact   keep=first ", "exact"),
        ("minhash", "minhash@0.8"),
        ("coverage guards=default window=auto", "coverage"),
        ("exact@paper guards=none", "exact@paper"),
        ("random", "random@0.2"),
        ("random@.20", "random@0.2"),
        ("exact | random@0.5", "exact|random@0.5"),
        ("max_removed=0.5 exact", None),
    ],
)
def test_defaults_are_left_out(written: str, canonical: str | None) -> None:
    if canonical is None:
        with pytest.raises(PolicyError):
            Policy.parse(written)
    else:
        assert str(Policy.parse(written)) == canonical


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("exactly", "known: .*coverage.*exact"),
        ("exact@0.5", "takes no value"),
        ("coverage@0.9", "takes no value, got '0.9'; what may lose text is 'minhash@T guards=none'"),
        ("minhash@1.5", "from 0.1 to 1"),
        ("minhash@nan", "from 0.1 to 1"),
        ("simhash@2.5", "expected a whole number"),
        ("random@x", "expected a number"),
        ("random@paper", "no published variant"),
        ("coverage+exact", "cannot be joined"),
        ("exact+exact", "twice"),
        ("exact keep=best", "keep=best; expected one of first"),
        ("exact keep=newest:", "expected one of"),
        ("exact scope=", "metadata keys"),
        ("exact scope=a,,b", "metadata keys"),
        ("exact guards=off", "default, none"),
        ("exact blank=yes", "drop, keep"),
        ("exact window=0", ">= 1"),
        ("exact window=-3", ">= 1"),
        ("exact max_removed=2", "from 0 to 1"),
        ("exact colour=red", "known: keep"),
        ("exact keep=first keep=longest", "given twice"),
        ("", "expected RULE"),
        ("|", "unknown rule"),
        ("none,coverage", "unknown rule 'none,coverage'; .*separated by ';'"),
    ],
)
def test_a_wrong_policy_says_what_was_expected(text: str, said: str) -> None:
    with pytest.raises(PolicyError, match=said) as caught:
        Policy.parse(text)
    assert isinstance(caught.value, InputError)
    assert isinstance(caught.value, ValueError)


def test_the_fingerprint_changes_with_the_policy_and_not_with_its_spelling() -> None:
    assert Policy.parse("exact").fingerprint == Policy.parse("exact keep=first").fingerprint
    assert Policy.parse("exact").fingerprint != Policy.parse("exact blank=keep").fingerprint


def test_published_variants_have_no_guards_and_keep_blanks() -> None:
    assert not Policy.parse("exact@paper").guarded
    assert not Policy.parse("exact@paper").drops_blank
    assert Policy.parse("exact").guarded
    assert Policy.parse("exact").drops_blank
    assert Policy.parse("exact@paper blank=drop").drops_blank


def test_only_verbatim_policies_say_so() -> None:
    assert Policy.parse("exact|coverage").verbatim
    assert not Policy.parse("minhash@0.9").verbatim
    assert not Policy.parse("exact|random@0.1").verbatim
