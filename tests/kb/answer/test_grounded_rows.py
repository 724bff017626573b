"""Rows of a table that a question lists or counts, and messages that ask about things of different documents."""

import pytest

CARDS = "cardName,maker,chip,memory\n" + "".join(
    f"{name},{maker},{chip},{memory}\n"
    for name, maker, chip, memory in [
        ("Larch 4090", "Alder", "AL102", 24),
        ("Larch 6000 Pro", "Alder", "AL102", 48),
        ("Larch 4070", "Alder", "AL104", 12),
        ("Rowan RX 66", "Birch", "RO23", 8),
        ("Rowan RX 65", "Birch", "RO23", 8),
    ]
)
MATRIX = """# Teal server: supported models

## Text models

| Model | Support | Note | Low-rank adapters |
|---|---|---|---|
| Wren-7B | ✅ |  | ✅ |
| Wren-70B | ✅ |  | ❌ |
| Heron-MoE | 🔵 |  | ❌ |
| Egret-Old | 🟡 | Need test |  |

## Image models

| Model | Support | Note | Low-rank adapters |
|---|---|---|---|
| Crane-VL | ✅ |  | ✅ |
| Stork-VL | ❌ | [12](https://example.org/12) |  |
| Kite-4V | ❌ | [17](https://example.org/17) |  |
"""
FAQ = """# Teal server FAQ

### 5. What does Teal server need?

A Linux system.

### 6. How to solve "libteal.so: cannot open shared object file"?

Basically, the environment is not set up. You can:

1. try `source /opt/teal/set_env.sh` to enable the runtime.
2. try `tealctl info` to check whether the board works.
"""
DEVICES = """# Bus numbers

| number | product |
|---|---|
| `0x13c0` | GM204 [Merlin 980] |
| `0x13c2` | GM204 [Merlin 970] |
"""
FAMILIES = """# Chip families

## Kestrel family: KP100, KP102, KP104

Kestrel added new video hardware.
"""


TYPES = """# Types of the Plover library

## Integral types

| Type name | Plover type | Description |
|---|---|---|
| int8 | `plover_i8` | eight bits |
| int16 | `plover_i16` | sixteen bits |

## Floating types

| Type name | Plover type | Description |
|---|---|---|
| float8 | `plover_f8` | eight bits |
| float16 | `plover_f16` | sixteen bits |

Support of the Plover library for int8, int16, float8 and float16 is listed in the next tables.
"""
PEAKS = """# When to move to new boards

## Speedup grows with sequence length

| sequence length | K200 TFLOPS | N200 TFLOPS |
|---:|---:|---:|
| 64K | 391 | 719 |
| 192K | 422 | 852 |

## Does it fit

| seqlen | K200 peak memory (GiB) | N200 peak memory (GiB) |
|---:|---:|---:|
| 64K | 37.5 | 37.6 |
| 192K | 95.7 | 95.8 |
"""
LENGTHS = """# Plover serve: lengths

| Model | Boards | Adapters | longest-context |
|---|---|---|---|
| Linnet-30B | P2/P3 | ✅ |  |
| Linnet-70B | P2/P3 | ✅ | 128k |

## Small boards

| Model | Boards | longest-context |
|---|---|---|
| Linnet-30B | P1 Duo | 16k |
"""
RELEASES = """# Rail operator release notes

## 26.3.2

### New Features

- Added support for Railnetes 1.36.
- Added an `upgradeRules` field to the driver definition.

## 24.9.0

### New Features

- Added support for Railnetes 1.31 and 1.32.

## 23.9.2

### New Features

- Added support for running the operator on Azure Plains.
"""
PLATFORMS = """# Rail operator platforms

## Supported systems

| System | Railnetes |
|---|---|
| Larch OS 26 | 1.33-1.36 |
| Larch OS 24 | 1.32-1.36 |
"""
THERMAL = """# Secure modes of the Osprey chip

Thermal shutdown registers are protected. They hold:

- the sensor setup;
- the temperature beyond which the Osprey hardware triggers a forced shutdown.
- I^2C bus writes are restricted.
"""
OPTIONS = """# Tern bandwidth tool

## Usage

```
./ternbw -h

ternbw CLI:
  -h [ --help ]                  Produce help message
  -b [ --bufferSize ] arg (=512) Copy buffer size in MiB
  -l [ --list ]                  List available testcases
  -t [ --testcase ] arg          Testcase(s) to run (by name or index)
  -v [ --verbose ]               Verbose output
  -s [ --skipVerification ]      Skips data verification after copy
  -d [ --disableAffinity ]       Disable automatic CPU affinity control
  -i [ --testSamples ] arg (=3)  Iterations of the benchmark
  -m [ --useMean ]               Use mean instead of median for results
```
"""
BOARDS = """# Transposing matrices

| Routine | Bandwidth / GT 280 / (one) | Bandwidth / M2090 / (two) | Bandwidth / K20X / (three) |
|---|---|---|---|
| Simple Transpose | 2.2 | 36.0 | 41.4 |
| Coalesced Transpose | 16.5 | 92.8 | 114.0 |
"""
SHORT_HISTORY = """Suite,7.3.3,7.3.2,7.0.0
Systems,Pelican 12,Pelican 12,
"""
LONG_HISTORY = """Suite,7.3.3,7.3.2,7.3.1,7.3.0,7.2.4,7.2.2,7.0.0
Systems,Pelican 12,Pelican 12,Pelican 12,,,,
"""
FILES = {
    "transpose.md": BOARDS,
    "suite-short.csv": SHORT_HISTORY,
    "suite-history.csv": LONG_HISTORY,
    "ternbw.md": OPTIONS,
    "secure.md": THERMAL,
    "operator/release-notes.md": RELEASES,
    "operator/platforms.md": PLATFORMS,
    "serve.md": LENGTHS,
    "types.md": TYPES,
    "move.md": PEAKS,
    "alder_cards.csv": CARDS,
    "teal/supported.md": MATRIX,
    "teal/faq.md": FAQ,
    "numbers.md": DEVICES,
    "families.md": FAMILIES,
}


@pytest.fixture(scope="module")
def generation(build_files, small_corpus):
    return build_files(FILES)


ANSWERED = {
    "alder_cards.csv 里一共有几款 Alder 显卡？": ("共 3 项", "Larch 4070"),
    "Coalesced transpose bandwidth on GT 280, M2090 and K20X?": ("16.5", "92.8", "114.0"),
    "Pelican 12 是从哪个 Suite 版本起支持的？": ("7.3.1",),
    "ternbw 怎么改每个测试的采样次数，默认几次？": ("--testSamples", "(=3)"),
    "Which ternbw option uses the mean instead of the median?": ("--useMean",),
    "Which Rail operator release added support for Railnetes 1.36?": ("26.3.2", "Railnetes 1.36"),
    "Rail operator 从哪个版本开始支持 Railnetes 1.36？": ("26.3.2", "Railnetes 1.36"),
    "Which version introduced the upgradeRules field of the Rail operator?": ("26.3.2", "upgradeRules"),
    "What is the Plover type of float8 and of int16?": ("plover_f8", "plover_i16"),
    "N200 peak memory at 64K and at 192K sequence length?": ("37.6", "95.8"),
    "How many cards in alder_cards.csv are built on the AL102 chip?": ("2 in all", "Larch 4090", "Larch 6000 Pro"),
    "alder_cards.csv 里 Birch 的显卡一共有几款？": ("共 2 项", "Rowan RX 66", "Rowan RX 65"),
    "Which image models are not supported by Teal server?": ("2 in all", "Stork-VL", "Kite-4V"),
    "Teal server 的文本模型里，哪些模型不支持 low-rank adapters？": ("Wren-70B", "Heron-MoE"),
    "报错 libteal.so: cannot open shared object file 怎么办": ("/opt/teal/set_env.sh",),
    "Kestrel 架构有哪些芯片，除了 KP100？Merlin 980 的设备号 number 是多少？": ("KP102", "0x13c0"),
}


@pytest.mark.parametrize(("question", "words"), ANSWERED.items(), ids=list(ANSWERED))
def test_the_answer_holds_what_was_asked(ask, question, words):
    text = ask(question)
    assert [word for word in words if word not in text] == []


@pytest.mark.parametrize(
    ("question", "wrong"),
    [
        ("How many cards in alder_cards.csv are built on the AL102 chip?", ("Larch 4070", "Rowan")),
        ("Which image models are not supported by Teal server?", ("Crane-VL", "Egret")),
        ("Teal server 的文本模型里，哪些模型不支持 low-rank adapters？", ("Wren-7B", "Crane")),
    ],
)
def test_rows_that_do_not_fit_are_left_out(ask, question, wrong):
    text = ask(question)
    assert text
    assert not [word for word in wrong if word in text.replace("Wren-70B", "")]


@pytest.mark.parametrize("question", ANSWERED, ids=list(ANSWERED))
def test_every_quote_stands_in_its_document(quotes, question):
    found = quotes(question)
    assert found
    assert all(quote.strip() for quote in found)


@pytest.mark.parametrize(
    "question",
    [
        "What is the longest-context of Linnet-30B on P2/P3 in Plover serve?",
        "Plover serve 在 P2/P3 上跑 Linnet-30B 的 longest-context 是多少？",
    ],
)
def test_an_empty_cell_is_not_filled_from_another_table(ask, question):
    assert ask(question) == ""


@pytest.mark.parametrize(
    "question",
    [
        "What temperature triggers the forced shutdown of the Osprey hardware?",
        "Osprey 芯片触发强制关断 shutdown 的温度是多少度？",
    ],
)
def test_words_about_a_figure_without_the_figure_are_refused(ask, question):
    assert ask(question) == ""


def test_a_filled_cell_beside_an_empty_one_is_told(ask):
    assert "16k" in ask("What is the longest-context of Linnet-30B on P1 Duo in Plover serve?")


def test_a_property_with_a_column_of_its_own_is_no_count_of_rows(ask):
    text = ask("How much memory does the Larch 4090 in alder_cards.csv have?")
    assert "24" in text
    assert "in all" not in text


def test_the_question_of_several_that_nothing_answers_is_named(ask):
    text = ask("Merlin 980 的设备号 number 是多少？Osprey KX9000 的价格是多少美元？")
    assert "0x13c0" in text
    assert "Osprey KX9000" in text
