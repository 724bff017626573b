"""What a thing is comes first where that is asked, though other passages speak of it more."""

import pytest

GLOSSARY_ZH = """# 术语

## 苍鹭总线（HBX）
苍鹭总线（HBX）是两块板卡之间的专用互联，不经过主机。

## 翠鸟缓存
翠鸟缓存让相邻的单元共用读过的数据。
"""
NOTES_ZH = """# 苍鹭总线调优

## 苍鹭总线的带宽
苍鹭总线每条链路 40 GB/s，苍鹭总线的四条链路可以绑定，绑定后苍鹭总线的延迟不变。苍鹭总线出错时先看日志。

## 翠鸟缓存的命中率
翠鸟缓存的命中率低于 60% 时应当调大页，翠鸟缓存的统计用 kf-stat 查看。翠鸟缓存满了以后按最近使用淘汰。
"""
GLOSSARY_EN = """# Terms

## Heron bus (HBX)
The heron bus (HBX) is a private link between two boards that does not cross the host.

## Grebe mode (GM)
Grebe mode keeps all clocks of a board at one value.

## Kingfisher cache
A kingfisher cache lets neighbouring units share what they have read.
"""
PLUS = """# 蛎鹬芯片

蛎鹬芯片支持 KF32+，它是厂商自定的 24 位格式，尾数比 KF32 多 5 位。
"""
PLAIN = "".join(
    f"""# KF32 手册第 {n} 章

## KF32 的格式
KF32 是一种 19 位的数值格式，第 {n} 章说明 KF32 的舍入，KF32 的格式与单精度的范围相同。

"""
    for n in range(1, 13)
)
MANUAL = "".join(
    f"""# Grebe mode on board {n}

## Grebe mode and what it costs on board {n}
What grebe mode is worth on board {n}: with grebe mode board {n} loses {n} % of its speed, without grebe mode it varies.

"""
    for n in range(1, 13)
)
NOTES_EN = """# Tuning the heron bus

## Bandwidth of the heron bus
Each link of the heron bus carries 40 GB/s, and four links of it can be bonded. When the heron bus fails, look
at the log of the heron bus first.

## Hit rate of the kingfisher cache
When the hit rate of the kingfisher cache falls below 60 %, use larger pages; kf-stat shows the kingfisher cache.
"""


@pytest.fixture(scope="module")
def generation(build_files):
    return build_files(
        {
            "terms.zh.md": GLOSSARY_ZH,
            "notes.zh.md": NOTES_ZH,
            "terms.en.md": GLOSSARY_EN,
            "notes.en.md": NOTES_EN,
            "chip.md": PLUS,
            "manual.md": PLAIN,
            "grebe.md": MANUAL,
        }
    )


@pytest.mark.parametrize(
    ("question", "opening"),
    [
        ("什么是苍鹭总线？", "苍鹭总线（HBX）是两块板卡之间的专用互联"),
        ("苍鹭总线是什么意思", "苍鹭总线（HBX）是两块板卡之间的专用互联"),
        ("翠鸟缓存是做什么的？", "翠鸟缓存让相邻的单元共用"),
        ("What is the heron bus?", "The heron bus (HBX) is a private link"),
        ("What does a kingfisher cache do?", "A kingfisher cache lets neighbouring units share"),
    ],
)
def test_the_definition_comes_first(ask, question, opening):
    assert ask(question).startswith(opening)


@pytest.mark.parametrize(
    ("question", "figure"),
    [("苍鹭总线每条链路的带宽是多少？", "40 GB/s"), ("What is the bandwidth of a heron bus link?", "40 GB/s")],
)
def test_a_property_is_still_answered_with_its_figure(ask, question, figure):
    assert figure in ask(question)


def test_a_name_with_a_sign_is_another_name(ask):
    assert "24 位格式" in ask("KF32+ 是什么格式？")


@pytest.mark.parametrize("question", ["What is grebe mode?", "what does grebe mode do"])
def test_a_definition_is_found_among_many_passages_about_the_thing(ask, question):
    assert ask(question).startswith("Grebe mode keeps all clocks")
